"""The latest calls of sessions as the observers' records, kept in the process from one look at them to the next.

A stored call never changes, so what was read once is right for good, in every process; only calls since are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.db import transaction

from memoryserver.statements.cache import Cache
from trajectory.local.calls import record as records
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.observers import window
from trajectory.models import Trajectory

WINDOW = window.KEPT
_cached: Cache[int, tuple[ToolCallRecord, ...]] = Cache(size=100)  # with 128 calls each, some 25 MB


def before(trajectory: Trajectory) -> Sequence[ToolCallRecord]:
    """Return the last `WINDOW` calls that observers have seen, oldest first."""
    known = _known(trajectory)
    after = known[-1].call_index if known else 0
    if after == trajectory.observed_through:
        return known[-WINDOW:]
    unknown = trajectory.calls.filter(call_index__gt=after, call_index__lte=trajectory.observed_through)
    bodies = unknown.order_by("-call_index").values_list("body", flat=True)[:WINDOW]
    return (*known, *map(records.from_row, reversed(bodies)))[-WINDOW:]


def cache(trajectory: Trajectory, calls: Sequence[ToolCallRecord]) -> None:
    """Cache the latest `calls`, of which observers saw the last one last, once the transaction is committed."""
    transaction.on_commit(partial(_cached.put, trajectory.pk, tuple(calls[-WINDOW:])))


def add(trajectory: Trajectory, call: ToolCallRecord) -> None:
    """Cache the call after those before it, if these are cached; it is stored, and no observer was due at it."""
    known = _cached.get(trajectory.pk) or ()
    if known and known[-1].call_index == call.call_index - 1:
        _cached.put(trajectory.pk, (*known[1 - WINDOW :], call))


def _known(trajectory: Trajectory) -> tuple[ToolCallRecord, ...]:
    known = _cached.get(trajectory.pk) or ()
    # Another process may have seen later calls, none may have seen fewer.
    return known if known and known[-1].call_index <= trajectory.observed_through else ()
