"""Statements on a trajectory and its calls that every event of an agent runs; the trajectory's row is the lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.statements import rows
from memoryserver.statements.guard import Guard
from trajectory.local.calls import repeats
from trajectory.models import ToolCall, Trajectory

# Only what `repeats` looks at: a body is several times as long, and reading thirty of them costs more than all else.
_FIELDS = (
    *("turn", "args_hash", "result_key", "tool_name", "same", "batch_id", "error_key", "failing", "edits"),
    *("streak", "streak_from", "streak_batch"),
)
_OBJECT = ", ".join(f"'{name}', body->'{name}'" for name in _FIELDS)
_EARLIER = f"""
    SELECT
        (SELECT json_agg(call_id) FROM trajectory_toolcall
            WHERE user_id = %(user)s AND session_id = %(session)s AND agent_id = %(agent)s AND call_id = ANY(%(ids)s)
        )::text,
        (SELECT json_agg(json_build_object({_OBJECT}) ORDER BY call_index) FROM (
            SELECT body, call_index FROM trajectory_toolcall WHERE trajectory_id = %(trajectory)s
            ORDER BY call_index DESC LIMIT {repeats.WITHIN}
        ) AS latest)::text
"""  # noqa: S608  (constants of this module)
_INTO = """
    INSERT INTO trajectory_toolcall (user_id, project_id, trajectory_id, session_id, agent_id, received_at,
        call_id, call_index, tool_name, outcome, made_at, body, notified)
"""
_NEW = """
    jsonb_to_recordset(%(calls)s::jsonb) AS new (
        call_id text, call_index integer, tool_name text, outcome text, made_at timestamptz, body jsonb, notified jsonb)
"""
_INSERT = f"""
    {_INTO} SELECT %(user)s::bigint, %(project)s::bigint, %(trajectory)s::bigint, %(session)s, %(agent)s, now(), new.*
    FROM {_NEW}
"""  # noqa: S608  (constants of this module)
# All that a call can change but what observers remember, which is long and saved after they ran.
_CHANGED = sorted(
    {field.attname for field in Trajectory._meta.concrete_fields}
    - {"id", "user_id", "session_id", "agent_id", "memory", "worst"}
)
_MEMORY = "memory = %(memory)s::jsonb, worst = %(worst)s"
_SET = ", ".join(f"{name} = %({name})s" for name in _CHANGED)
_UPDATE = f"UPDATE trajectory_trajectory SET {_SET} WHERE id = %(id)s RETURNING xmin::text"  # noqa: S608
_UPDATE_ALL = f"UPDATE trajectory_trajectory SET {_SET}, {_MEMORY} WHERE id = %(id)s RETURNING xmin::text"  # noqa: S608


class Earlier(NamedTuple):
    """Which of the ids asked for are stored, and the latest calls, oldest first, as far as `repeats` reads them."""

    stored: set[str]
    latest: list[dict[str, Any]]


# What the call shares with its trajectory comes from there: a parameter for each costs as much as the rest.
_APPEND = f"""
    WITH trajectory AS (
        UPDATE trajectory_trajectory AS t SET calls_made = %(calls_made)s, observed_through = %(calls_made)s,
            started_at = %(started_at)s, last_call_at = %(last_call_at)s MEMORY
        WHERE id = %(trajectory)s AND xmin = %(version)s::xid AND GUARD AND NOT EXISTS (
            SELECT FROM trajectory_toolcall AS earlier
            WHERE earlier.user_id = t.user_id AND earlier.session_id = t.session_id
                AND earlier.agent_id = t.agent_id AND earlier.call_id = %(call_id)s
        )
        RETURNING id, user_id, project_id, session_id, agent_id, xmin::text AS version
    ), call AS (
        {_INTO} SELECT user_id, project_id, id, session_id, agent_id, now(), new.* FROM trajectory, {_NEW}
    )
    SELECT version FROM trajectory
"""  # noqa: S608  (constants of this module)
_APPEND_ALONE = _APPEND.replace("MEMORY", "")
_APPEND_LOOKED_AT = _APPEND.replace("MEMORY", f", {_MEMORY}")


def related(row: dict[str, Any]) -> dict[str, Any]:
    """Return of a call's record what `earlier` gives of it."""
    return {name: row.get(name) for name in _FIELDS}


def lock(user: User, session_id: str, agent_id: str) -> Trajectory | None:
    """Return the trajectory's row, locked until the transaction ends; None if there is none."""
    columns = rows.columns(Trajectory, "t")
    row = rows.first(
        f"SELECT {columns} FROM trajectory_trajectory t "  # noqa: S608  (names of columns)
        "WHERE user_id = %(user)s AND session_id = %(session)s AND agent_id = %(agent)s FOR UPDATE",
        {"user": user.pk, "session": session_id, "agent": agent_id},
    )
    return None if row is None else rows.instance(Trajectory, row)


def earlier(trajectory: Trajectory, ids: Sequence[str]) -> Earlier:
    """Return what is stored before new calls with these `ids`; `trajectory` must be locked by the caller."""
    if not trajectory.calls_made:
        return Earlier(set(), [])
    row = rows.first(_EARLIER, {**_identity(trajectory), "ids": list(ids)})
    stored, latest = row or (None, None)
    return Earlier(set(orjson.loads(stored or "[]")), orjson.loads(latest or "[]"))


def insert(trajectory: Trajectory, calls: Sequence[ToolCall]) -> None:
    """Insert new calls of `trajectory`, in one statement."""
    if not calls:
        return
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, {**_identity(trajectory), "calls": _json(calls)})


def save_counts(trajectory: Trajectory) -> None:
    """Save all that a new call changes but the observers' memory."""
    _update(trajectory, _UPDATE, _changed(trajectory))


def save(trajectory: Trajectory) -> None:
    """Save all that a new call and the observers change."""
    _update(trajectory, _UPDATE_ALL, _changed(trajectory) | _remembered(trajectory))


def append(
    trajectory: Trajectory, call: ToolCall, version: str, guard: Guard, *, were_observers_run: bool = False
) -> bool:
    """Insert `call` and save the counts and times of its trajectory, which need not be locked; return whether it did.

    All calls of it are observed then, and what observers remember is saved too if they were run.

    It does nothing if the trajectory's row has another version than `version`, if the call is stored already, or
    unless the guard's condition holds.
    """
    parameters = {name: getattr(trajectory, name) for name in ("calls_made", "started_at", "last_call_at")}
    parameters |= {"trajectory": trajectory.pk, "version": version, "call_id": call.call_id, "calls": _json([call])}
    parameters |= guard.parameters
    statement = _APPEND_ALONE
    if were_observers_run:
        statement = _APPEND_LOOKED_AT
        parameters |= _remembered(trajectory)
    row = rows.first(statement.replace("GUARD", guard.condition), parameters, prepared=True)
    if row is None:
        return False
    trajectory.version = row[0]
    return True


def _update(trajectory: Trajectory, sql: str, parameters: dict[str, Any]) -> None:
    row = rows.first(sql, parameters)
    trajectory.version = row[0] if row is not None else ""


def _json(calls: Sequence[ToolCall]) -> str:
    names = ("call_id", "call_index", "tool_name", "outcome", "body", "notified")
    new = [{name: getattr(call, name) for name in names} | {"made_at": call.made_at.isoformat()} for call in calls]
    return rows.json_text(new)


def _changed(trajectory: Trajectory) -> dict[str, Any]:
    return {name: getattr(trajectory, name) for name in ("id", *_CHANGED)}


def _remembered(trajectory: Trajectory) -> dict[str, Any]:
    return {"memory": rows.json_text(trajectory.memory), "worst": trajectory.worst}


def _identity(trajectory: Trajectory) -> dict[str, Any]:
    return {
        "trajectory": trajectory.pk,
        "user": trajectory.user_id,
        "project": trajectory.project_id,
        "session": trajectory.session_id,
        "agent": trajectory.agent_id,
    }
