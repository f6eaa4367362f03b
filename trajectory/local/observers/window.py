"""The calls that a detector looks at: those of this turn that count and of which the agent was not notified yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trajectory.local.calls import summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.context import ObserverContext

_ABSENT = ("does not exist", "no such file", "not found")
KEPT = 128  # calls of a session that observers can see
OVER_AFTER = 4  # calls without any of a pattern's: the agent has turned to something else


def recent(context: ObserverContext, n: int) -> list[ToolCallRecord]:
    """Return those of the last `n` calls, oldest first, that may be evidence of a new finding.

    Left out are calls that were rejected, cancelled or failed by a provider, calls of an earlier turn (before the
    last prompt), calls of which the agent was notified before, and what it has only looked at before its context was
    compacted: it has lost that, and is right to look again.
    """
    records = of_turn(context, n)
    return [
        record
        for record in records
        if record.call_index > context.ignore_evidence_before and not (record.looks and _is_lost(record, records))
    ]


def remembered(records: Sequence[ToolCallRecord]) -> list[ToolCallRecord]:
    """Return those of `records`, oldest first, whose answer the agent knows; of before a compaction failures alone."""
    return [record for record in records if record.failed or not _is_lost(record, records)]


def of_turn(context: ObserverContext, n: int) -> list[ToolCallRecord]:
    """Return the same with the calls of which the agent was notified before: what figures are counted of."""
    records = context.recent_tool_calls(n)
    turn = records[-1].turn if records else ""
    return [record for record in records if record.counts and record.turn == turn]


def _is_lost(record: ToolCallRecord, records: Sequence[ToolCallRecord]) -> bool:
    """Return whether the agent's context was compacted between `record` and the last of `records`."""
    return record.compactions != records[-1].compactions


def answers_that_nothing_is_there(record: ToolCallRecord) -> bool:
    """Return whether a tool that reads or searches failed because there is no such file: that too is an answer."""
    message = (record.error_message or "").lower()
    is_tool_that_looks = record.kind in (summary.READ, summary.SEARCH)
    return record.failed and is_tool_that_looks and any(words in message for words in _ABSENT)


def decisions(records: Iterable[ToolCallRecord]) -> int:
    """Return how many decisions made the calls: siblings of one batch were decided on together."""
    return len({record.decision for record in records})


def goes_on(members: Sequence[ToolCallRecord], records: Sequence[ToolCallRecord], *, within: int = OVER_AFTER) -> bool:
    """Return whether the newest of `members` is among the last `within` of `records`; both are oldest first."""
    return bool(members) and any(members[-1].call_index == record.call_index for record in records[-within:])


def between(first: ToolCallRecord, second: ToolCallRecord, records: Iterable[ToolCallRecord]) -> list[ToolCallRecord]:
    """Return the calls after `first` and before `second`."""
    return [record for record in records if first.call_index < record.call_index < second.call_index]


def at_most(observer: object, limit: int, *names: str, reason: str = "") -> None:
    """Raise ValueError where one of the observer's settings is above `limit`: it could never be met.

    `reason` says what the limit is, by default that an observer sees no more calls.
    """
    for name in names:
        value = getattr(observer, name)
        if value > limit:
            raise ValueError(f"{name} must be at most {limit}, {reason or 'the calls that are kept'}, not {value!r}")


def positive(observer: object, *names: str) -> None:
    """Raise ValueError where one of the observer's thresholds is not a number above zero: it would be met always."""
    for name in names:
        value = getattr(observer, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise ValueError(f"{name} must be a number above 0, not {value!r}")
