"""Receiving of a tool call at which observers find nothing, in one statement and without a transaction of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from memoryserver.hooks.handlers import Call
from memoryserver.statements import rows
from memoryserver.statements.guard import Guard
from trajectory import assess, configs, stored, windows
from trajectory.calls import arrived, latest
from trajectory.local.calls import record as records
from trajectory.local.calls.record import ToolCallRecord
from trajectory.models import ToolCall, Trajectory


def receive(call: Call, record: dict[str, Any], title: str, guard: Guard) -> bool:
    """Append the call's `record`, which is valid and has the call's id, to its session; False if nothing was done.

    That is so where the session is not known here as it is stored, where the call changes more of it than its counts
    and times, or was stored before, and where an observer finds something: `intake` receives it then.
    """
    known = latest.of(call.user, call.event.session_id, call.event.agent_id)
    if known is None or settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        return False
    trajectory = rows.copied(known.trajectory)
    if not _changes_counts_alone(trajectory, call, title):
        return False
    try:
        # The record was made here, of an event that was redacted: what is displayed of it has been redacted twice.
        row = arrived.within_limit({name: value for name, value in record.items() if name != "id"})
    except ValueError:  # it is refused, which `intake` says
        return False
    trajectory.user, trajectory.project = call.user, call.project
    recent = list(known.calls)
    arrived.number(row, trajectory, recent)
    made = arrived.made_of(trajectory, record["id"], row, [])
    is_due = assess.is_due(trajectory, made)
    seen, guard = _seen(trajectory, made, guard) if is_due else (None, guard)
    if is_due and seen is None:
        return False
    trajectory.observed_through = trajectory.calls_made
    if not stored.append(trajectory, made, known.trajectory.version, guard, were_observers_run=is_due):
        return False
    _keep(trajectory, made, seen, recent)
    return True


def _seen(trajectory: Trajectory, made: ToolCall, guard: Guard) -> tuple[Sequence[ToolCallRecord] | None, Guard]:
    """Run the observers; return what `run_quietly` does, and the guard that these are still the ones to run, too."""
    observers, are_unchanged = configs.observers_as_read(trajectory.user, trajectory.project)
    return assess.run_quietly(trajectory, made, observers), guard & are_unchanged if are_unchanged else guard


def _keep(
    trajectory: Trajectory, made: ToolCall, seen: Sequence[ToolCallRecord] | None, recent: Sequence[dict[str, Any]]
) -> None:
    """Keep in the process what the next call is compared with, and announce the stored one."""
    if seen is None:
        windows.add(trajectory, records.from_row(made.body))
    else:
        windows.cache(trajectory, seen)
    latest.keep(latest.Latest(trajectory, recent))
    arrived.announce([made])


def _changes_counts_alone(trajectory: Trajectory, call: Call, title: str) -> bool:
    is_unnamed = not trajectory.title and bool(title)
    of_same_project = call.project is not None and call.project.pk == trajectory.project_id
    is_observed = trajectory.observed_through == trajectory.calls_made and trajectory.ended_at is None
    return of_same_project and is_observed and not is_unnamed
