"""Tool calls on their way into the database: what is asked of them, and the rows that they become."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from memoryserver.common import clock, outcomes
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.hooks import commands
from memoryserver.hooks.commands import CommandRun
from memoryserver.reported_times import credible
from memoryserver.statements import rows
from trajectory import stored
from trajectory.local.calls import record, repeats, summary
from trajectory.local.calls.row import row_of
from trajectory.models import ToolCall, Trajectory

MAX_ID = 100
_MAX_BODY = 16_384  # characters
_MAX_NOTIFIED = 20  # findings in one answer
_MAX_NOTIFIED_TEXT = 400
_RAN = (outcomes.OK, outcomes.NO_MATCH, outcomes.ERROR)
_SHOWN = {"params_summary": 200, "error_message": 500, "result_head": 160}


def is_record(call: dict[str, Any]) -> bool:
    """Return whether a call is a record of the client, whose hook has already answered the agent."""
    return "params_summary" in call


def row_of_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return the record's row, parsed or validated, with displayed texts redacted. Raises ValueError."""
    # The transcript is a file of the agent's machine; here its name must open nothing.
    content = {key: value for key, value in call.items() if key not in ("id", "transcript_path")}
    if is_record(content):
        return shown(record.to_row(record.from_row(content)))
    return within_limit(record.to_row(record.from_row(row_of(content))))


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return the valid record `row` with what is displayed redacted, in place. Raises ValueError if it is too long."""
    for name, limit in _SHOWN.items():
        if isinstance(row[name], str):
            row[name] = shorten(redact(printable(row[name][: limit * 4])).text, limit)
    row["tool_name"] = shorten(one_line(printable(row["tool_name"])), 100)
    return within_limit(row)


def within_limit(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row. Raises ValueError if it is too long."""
    # A character is at most six in JSON, so most rows need no exact count.
    if 6 * len(rows.json_text(row)) > _MAX_BODY and len(json.dumps(row)) > _MAX_BODY:
        raise ValueError(f"a call has at most {_MAX_BODY} characters as a record; send its result as a hash")
    return row


def number(row: dict[str, Any], trajectory: Trajectory, recent: list[dict[str, Any]]) -> None:
    """Number the row after the stored ones; the server counts independently of the clients."""
    trajectory.calls_made += 1
    row["call_index"] = trajectory.calls_made
    row |= repeats.relations(recent, row)
    recent.append(stored.related(row))
    del recent[: -repeats.WITHIN]


def notified(call: dict[str, Any]) -> list[list[str]]:
    """Return the findings that the laptop's answer to the call contained; what is malformed is left out."""
    pairs = call.get("notified") if is_record(call) else None
    return [
        [redact(clean(str(part)[:_MAX_NOTIFIED_TEXT])).text for part in pair]
        for pair in (pairs[:_MAX_NOTIFIED] if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2
    ]


def made_of(trajectory: Trajectory, call_id: str, row: dict[str, Any], told: list[list[str]]) -> ToolCall:
    """Return the new call that `row` is the record of; the trajectory's times go on to it."""
    made_at = credible(clock.from_text(row["timestamp"]), timezone.now())  # `body` has the time of the laptop
    trajectory.last_call_at = max(trajectory.last_call_at or made_at, made_at)
    trajectory.started_at = min(trajectory.started_at or made_at, made_at)
    if trajectory.ended_at and trajectory.last_call_at > trajectory.ended_at:
        trajectory.ended_at = None  # it continues
    return ToolCall(
        user=trajectory.user,
        project=trajectory.project,
        trajectory=trajectory,
        session_id=trajectory.session_id,
        agent_id=trajectory.agent_id,
        call_id=call_id,
        call_index=row["call_index"],
        tool_name=row["tool_name"],
        outcome=row["outcome"],
        made_at=made_at,
        body=row,
        notified=told,
    )


def announce(calls: Sequence[ToolCall]) -> None:
    """Tell who listens which commands ran, once the calls are stored."""
    commands.announce([_command_run(call) for call in calls if _ran_command(call)])


def identifier(value: object, limit: int) -> str:
    """Return an id as it is stored; "" for what is none."""
    return one_line(clean(str(value)))[:limit] if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _ran_command(call: ToolCall) -> bool:
    return call.body.get("kind") == summary.COMMAND and call.outcome in _RAN


def _command_run(call: ToolCall) -> CommandRun:
    text = str(call.body.get("params_summary") or "").removeprefix("command=")
    return CommandRun(call.user, call.project, text, call.made_at)
