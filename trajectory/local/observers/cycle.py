"""Cycle: the same few calls, repeated in the same order."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers
from trajectory.local.observers.finding import finding, nothing

_MAX_ROUNDS = 6
_LONGEST = 14  # calls: three rounds of them are within the thirty that repetitions are counted in


@dataclass(frozen=True)
class Cycle:
    """Notice a round of 2 to `longest` different calls that was made over and over, up to the latest call.

    `same_rounds` rounds suffice where each call gave the same result every time, else `rounds` rounds of which
    no result is known to differ: a question that is answered differently is progress. A round that only waits, or
    in which something was changed, is none. Raises ValueError for thresholds that can never be met.
    """

    longest: int = 4
    rounds: int = 3
    same_rounds: int = 2

    def __post_init__(self) -> None:
        window.positive(self, "longest", "rounds", "same_rounds")
        if self.longest < 2:
            raise ValueError(f"longest must be at least 2, the calls of the shortest round, not {self.longest!r}")
        window.at_most(self, _LONGEST, "longest", reason="the calls of the longest round that is noticed")
        window.at_most(self, _MAX_ROUNDS, "rounds", "same_rounds", reason="the rounds that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Cycle"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether two rounds of two calls are there."""
        return len(context.recent_tool_calls(4)) == 4

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the shortest round that the latest calls are made of."""
        records = window.remembered(window.recent(context, self.longest * _MAX_ROUNDS))
        for period in range(2, self.longest + 1):
            turns = _rounds(records, period)
            needed = self.same_rounds if _all_known(records[-period * self.same_rounds :]) else self.rounds
            if turns >= needed and _is_cycle(records[-period:]):
                return self._report(records[-period * turns :], period, turns, context)
        return nothing(self.name, context)

    def _report(self, calls: list[ToolCallRecord], period: int, turns: int, context: ObserverContext) -> Assessment:
        last_round = calls[-period:]
        results = ", each with the same result" if _all_known(calls) else ""
        return finding(
            self.name,
            context,
            category="Cycle",
            summary=f"The same {period} calls were made {turns} times in a row{results}.",
            description=f"Calls {numbers(calls)} are {turns} rounds of these:",
            evidence=cite_results(last_round),
            suggestions=[
                "Leave the round: its answers are known and do not change.",
                "Say what you still do not know, and choose a call that can tell it.",
            ],
            severity="warning" if turns >= 2 * self.same_rounds else "caution",
            identity=" ".join(sorted(f"{record.tool_name} {record.args_hash}" for record in last_round)),
            calls=calls,
        )


def _rounds(records: list[ToolCallRecord], period: int) -> int:
    """Return how many times the last `period` calls were made in a row; 0 if the calls of a round are all the same."""
    last = records[-period:]
    if len(last) < period or len({(record.tool_name, record.args_hash) for record in last}) < 2:
        return 0
    turns = 1
    result_keys = [record.result_key for record in last]  # of each call of the round; "" until a result is known
    while len(records) >= (turns + 1) * period and turns < _MAX_ROUNDS:
        earlier = records[-(turns + 1) * period : -turns * period]
        if not all(map(_same, earlier, last, result_keys)):
            break
        result_keys = [key or record.result_key for key, record in zip(result_keys, earlier, strict=True)]
        turns += 1
    return turns


def _same(earlier: ToolCallRecord, later: ToolCallRecord, result_key: str) -> bool:
    """Return whether `earlier` is the same call as `later`, with the result `result_key` if both results are known."""
    return (
        bool(earlier.args_hash)
        and (earlier.tool_name, earlier.args_hash) == (later.tool_name, later.args_hash)
        and (earlier.result_key == result_key or not (earlier.result_key and result_key))
        and earlier.decision != later.decision
    )


def _all_known(records: list[ToolCallRecord]) -> bool:
    return all(record.result_key for record in records)


def _is_cycle(calls: list[ToolCallRecord]) -> bool:
    return not any(record.changes or record.polls for record in calls)
