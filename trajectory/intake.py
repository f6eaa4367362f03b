"""Receiving of tool calls sent by clients and agents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.clocks import credible
from memoryserver.common import outcomes, prompts
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.hooks import commands
from memoryserver.hooks.commands import CommandRun
from memoryserver.jobs import enqueue
from trajectory import assess, stored
from trajectory.local.calls import record, repeats, summary
from trajectory.local.calls.row import row_of
from trajectory.models import ToolCall, Trajectory

ASSESS_JOB = "trajectory.jobs.assess_pending"
MAX_ID = 100
_MAX_BODY = 16_384  # characters
_MAX_NOTIFIED = 20  # findings in one answer
_MAX_NOTIFIED_TEXT = 400
_RAN = (outcomes.OK, outcomes.NO_MATCH, outcomes.ERROR)
_SHOWN = {"params_summary": 200, "error_message": 500, "result_head": 160}


@dataclass(frozen=True)
class About:
    """What a session is about: its first prompt as the title, and the branch; "" where it is not known."""

    title: str = ""
    branch: str = ""


@dataclass(frozen=True)
class Receipt:
    """The result for one call; `reason` only if it was refused."""

    id: str
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


@dataclass(frozen=True)
class Received:
    """The result for each call, in order, and text for the agent, "" for none."""

    results: list[Receipt]
    tell: str = ""


def receive(
    user: User,
    project: Project | None,
    session_id: str,
    agent_id: str,
    calls: Sequence[dict[str, Any]],
    *,
    in_answer: bool = True,
    about: About | None = None,
) -> Received:
    """Append `calls`, each once by its `id`, to the session and run the observers.

    A call is a client's record, or an object that `trajectory.local.calls.parse` reads. An invalid one is refused
    without affecting the others. Observers run at once within `assess`'s time limit; a job does the rest, and
    everything if the settings name additional observers.

    With `in_answer` the caller gives the result's `tell` to the agent, as the answer to the last of `calls`; the same
    text again if that call is sent again. Without it there is no `tell`, and the agent does not count as notified.
    """
    # No savepoint in a caller's transaction, which costs two statements: who goes on after an error has one.
    with transaction.atomic(savepoint=False):
        trajectory = _trajectory(user, project, session_id, agent_id)
        before = _described(trajectory)
        trajectory.project = project or trajectory.project
        results, new = _store(trajectory, calls)
        _describe(trajectory, about or About())
        if trajectory.observed_through == trajectory.calls_made:
            if _described(trajectory) != before:
                trajectory.save(update_fields=["project", "title", "branch"])
            is_retry = in_answer and _is_latest(trajectory, results[-1].id)
            return Received(results, assess.text_of_latest_call(trajectory) if is_retry else "")
        tell = _assess(trajectory, new, in_answer=in_answer)
        if trajectory.observed_through < trajectory.calls_made:
            enqueue(ASSESS_JOB)
    return Received(results, tell)


def _assess(trajectory: Trajectory, new: Sequence[ToolCall], *, in_answer: bool) -> str:
    """Run the observers from the first call on after which one is due, and save; return text for the agent, or ""."""
    if not settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        if not new or new[0].call_index != trajectory.observed_through + 1:
            return assess.run(trajectory, in_answer=in_answer)
        for place, call in enumerate(new):
            if assess.is_due(trajectory, call):
                return assess.run(trajectory, in_answer=in_answer, calls=new[place:])
            trajectory.observed_through = call.call_index
    stored.save_counts(trajectory)
    return ""


def is_record(call: dict[str, Any]) -> bool:
    """Return whether a call is a record of the client, whose hook has already answered the agent."""
    return "params_summary" in call


def _is_latest(trajectory: Trajectory, call_id: str) -> bool:
    return trajectory.calls.filter(call_id=call_id, call_index=trajectory.calls_made).exists()


def _trajectory(user: User, project: Project | None, session_id: str, agent_id: str) -> Trajectory:
    """Return the trajectory's row, locked, so that calls of one session are stored one after the other."""
    identity = {"session_id": _id(session_id, 200), "agent_id": _id(agent_id, 200)}
    row = stored.lock(user, **identity)
    if row is None:
        Trajectory.objects.get_or_create(user=user, **identity, defaults={"project": project})
        row = Trajectory.objects.select_for_update().get(user=user, **identity)
    row.user = user  # the same, which spares reading it
    return row


def _described(trajectory: Trajectory) -> tuple[object, ...]:
    return trajectory.project_id, trajectory.title, trajectory.branch


def _describe(trajectory: Trajectory, about: About) -> None:
    """Set title and branch once; the first prompt and the branch of that time name the session."""
    if not trajectory.title and not trajectory.agent_id:
        trajectory.title = shorten(redact(one_line(printable(about.title[:2000]))).text, prompts.MAX_TITLE)
    trajectory.branch = trajectory.branch or one_line(printable(clean(about.branch)))[:200]


def _store(trajectory: Trajectory, calls: Sequence[dict[str, Any]]) -> tuple[list[Receipt], list[ToolCall]]:
    """Store the calls that are new and return the result for each call, and the new ones in order."""
    ids = [_id(call.get("id"), MAX_ID) for call in calls]
    stored_ids, recent = stored.earlier(trajectory, ids)
    results: list[Receipt] = []
    new: list[ToolCall] = []
    for call_id, call in zip(ids, calls, strict=True):
        if not call_id:
            results.append(Receipt("", "refused", "a call needs a unique id, a text of at most 100 characters"))
        elif call_id in stored_ids:
            results.append(Receipt(call_id, "unchanged"))
        else:
            try:
                row = _row_of(call)
            except ValueError as error:
                results.append(Receipt(call_id, "refused", str(error)))
                continue
            stored_ids.add(call_id)
            _number(row, trajectory, recent)
            new.append(_new_call(trajectory, call_id, row, _notified(call)))
            results.append(Receipt(call_id, "stored"))
    stored.insert(trajectory, new)
    commands.announce([_command_run(call) for call in new if _ran_command(call)])
    return results, new


def _ran_command(call: ToolCall) -> bool:
    return call.body.get("kind") == summary.COMMAND and call.outcome in _RAN


def _command_run(call: ToolCall) -> CommandRun:
    text = str(call.body.get("params_summary") or "").removeprefix("command=")
    return CommandRun(call.user, call.project, text, call.made_at)


def _row_of(call: dict[str, Any]) -> dict[str, Any]:
    """Return the record's row, parsed or validated, with displayed texts redacted. Raises ValueError."""
    # The transcript is a file of the agent's machine; here its name must open nothing.
    content = {key: value for key, value in call.items() if key not in ("id", "transcript_path")}
    if is_record(content):
        row = record.to_row(record.from_row(content))
        for name, limit in _SHOWN.items():
            if isinstance(row[name], str):
                row[name] = shorten(redact(printable(row[name][: limit * 4])).text, limit)
        row["tool_name"] = shorten(one_line(printable(row["tool_name"])), 100)
    else:
        row = record.to_row(record.from_row(row_of(content)))
    if len(json.dumps(row)) > _MAX_BODY:
        raise ValueError(f"a call has at most {_MAX_BODY} characters as a record; send its result as a hash")
    return row


def _number(row: dict[str, Any], trajectory: Trajectory, recent: list[dict[str, Any]]) -> None:
    """Number the row after the stored ones; the server counts independently of the clients."""
    trajectory.calls_made += 1
    row["call_index"] = trajectory.calls_made
    row |= repeats.relations(recent, row)
    recent.append(row)
    del recent[: -repeats.WITHIN]


def _notified(call: dict[str, Any]) -> list[list[str]]:
    """Return the findings that the laptop's answer to the call contained; what is malformed is left out."""
    pairs = call.get("notified") if is_record(call) else None
    return [
        [redact(clean(str(part)[:_MAX_NOTIFIED_TEXT])).text for part in pair]
        for pair in (pairs[:_MAX_NOTIFIED] if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2
    ]


def _new_call(trajectory: Trajectory, call_id: str, row: dict[str, Any], notified: list[list[str]]) -> ToolCall:
    made_at = credible(record.from_row(row).timestamp, timezone.now())  # `body` has the time of the laptop
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
        notified=notified,
    )


def _id(value: object, limit: int) -> str:
    return one_line(clean(str(value)))[:limit] if isinstance(value, str | int) and not isinstance(value, bool) else ""
