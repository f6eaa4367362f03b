"""Receiving of tool calls sent by clients and agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings
from django.db import transaction

from memoryserver.accounts.models import Project, User
from memoryserver.common import prompts
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line, printable, shorten
from memoryserver.jobs import enqueue
from trajectory import assess, stored
from trajectory.calls import arrived, latest
from trajectory.models import ToolCall, Trajectory

ASSESS_JOB = "trajectory.jobs.assess_pending"
MAX_ID = arrived.MAX_ID


@dataclass(frozen=True)
class About:
    """What a session is about: its first prompt, of a sub-agent its type, as title, and the branch; "" if unknown."""

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
        results, new, recent = _store(trajectory, calls)
        _describe(trajectory, about or About())
        if trajectory.observed_through == trajectory.calls_made:
            if _described(trajectory) != before:
                trajectory.save(update_fields=["project", "title", "branch"])
            is_retry = in_answer and _is_latest(trajectory, results[-1].id)
            return Received(results, assess.text_of_latest_call(trajectory) if is_retry else "")
        tell = _assess(trajectory, new, in_answer=in_answer)
        latest.cache(trajectory, recent)
    return Received(results, tell)


def _assess(trajectory: Trajectory, new: Sequence[ToolCall], *, in_answer: bool) -> str:
    """Run the observers, save, and leave to a job what they have not seen; return text for the agent, or ""."""
    tell = _run(trajectory, new, in_answer=in_answer)
    if trajectory.observed_through < trajectory.calls_made:
        enqueue(ASSESS_JOB)
    return tell


def _run(trajectory: Trajectory, new: Sequence[ToolCall], *, in_answer: bool) -> str:
    """Run the observers from the first call on after which one is due, and save."""
    if not settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        if not new or new[0].call_index != trajectory.observed_through + 1:
            return assess.run(trajectory, in_answer=in_answer)
        for place, call in enumerate(new):
            if assess.is_due(trajectory, call):
                return assess.run(trajectory, in_answer=in_answer, calls=new[place:])
            trajectory.observed_through = call.call_index
    stored.save_counts(trajectory)
    return ""


def _is_latest(trajectory: Trajectory, call_id: str) -> bool:
    return trajectory.calls.filter(call_id=call_id, call_index=trajectory.calls_made).exists()


def _trajectory(user: User, project: Project | None, session_id: str, agent_id: str) -> Trajectory:
    """Return the trajectory's row, locked, so that calls of one session are stored one after the other."""
    identity = {"session_id": arrived.identifier(session_id, 200), "agent_id": arrived.identifier(agent_id, 200)}
    row = stored.lock(user, **identity)
    if row is None:
        Trajectory.objects.get_or_create(user=user, **identity, defaults={"project": project})
        row = Trajectory.objects.select_for_update().get(user=user, **identity)
    row.user = user  # the same, which spares reading it
    return row


def _described(trajectory: Trajectory) -> tuple[object, ...]:
    return trajectory.project_id, trajectory.title, trajectory.branch


def _describe(trajectory: Trajectory, about: About) -> None:
    """Set title and branch once; the first prompt, or a sub-agent's type, and the branch of that time name it."""
    if not trajectory.title:
        trajectory.title = shorten(redact(one_line(printable(about.title[:2000]))).text, prompts.MAX_TITLE)
    trajectory.branch = trajectory.branch or one_line(printable(clean(about.branch)))[:200]


def _store(
    trajectory: Trajectory, calls: Sequence[dict[str, Any]]
) -> tuple[list[Receipt], list[ToolCall], list[dict[str, Any]]]:
    """Store the calls that are new; return the result for each call, the new ones in order, and the latest of all."""
    ids = [arrived.identifier(call.get("id"), MAX_ID) for call in calls]
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
                row = arrived.row_of_call(call)
            except ValueError as error:
                results.append(Receipt(call_id, "refused", str(error)))
                continue
            stored_ids.add(call_id)
            arrived.number(row, trajectory, recent)
            new.append(arrived.made_of(trajectory, call_id, row, arrived.notified(call)))
            results.append(Receipt(call_id, "stored"))
    stored.insert(trajectory, new)
    arrived.announce(new)
    return results, new, recent
