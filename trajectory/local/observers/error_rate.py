"""ErrorRateMonitor: many failures, though not all in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_errors, result_of

_CASCADE = "Error Cascade Detector"
_BEGINS_WITHIN = 2  # calls after a failure


@dataclass(frozen=True)
class ErrorRateMonitor:
    """Watch the share of failures among the last calls.

    Says nothing below `minimum_sample` calls that count: one failure of one call is not a rate. Calls of a batch count
    as one, which failed if all of them did. Not counted are reports of failing tests, and a check that was run again
    after a change and now fails with another error, that is how programs get better, and a tool that looks for a file
    which is not there, and waiting. Silent while the Error Cascade
    Detector speaks of the same failures. Raises ValueError for figures that can never be reached.
    """

    window_size: int = 12
    rate_threshold: float = 0.5
    minimum_sample: int = 8

    def __post_init__(self) -> None:
        if not 1 <= self.minimum_sample <= self.window_size:
            raise ValueError(f"minimum_sample must be from 1 to window_size, not {self.minimum_sample!r}")
        if not 0 < self.rate_threshold <= 1:
            raise ValueError(f"rate_threshold must be above 0 and at most 1, not {self.rate_threshold!r}")
        window.at_most(self, window.KEPT, "window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Error Rate Monitor"

    @property
    def least_calls(self) -> int:
        """Return how many calls there must be."""
        return self.minimum_sample

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there are enough calls to speak of a rate."""
        return len(self._counted(window.recent(context, self.window_size))) >= self.minimum_sample

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the rate where it reaches the threshold, without observations where it does not."""
        fresh = self._counted(window.recent(context, self.window_size))
        counted = self._counted(window.of_turn(context, self.window_size))
        failed = [record for record in counted if record.failed]
        if not self._is_high(fresh, context) or not failed:
            summary = f"{len(failed)} of {len(counted)} recent calls failed."
            return Assessment(observer_name=self.name, summary=summary, timestamp=context.now)
        rate = len(failed) / len(counted)
        kinds = ", ".join(f"{code(tool)} {n}" for tool, n in _by_tool(failed))
        others = len(window.of_turn(context, self.window_size)) - len(counted)
        left_out = f" {others} more are not counted, such as failing tests and waiting." if others else ""
        return Assessment(
            observer_name=self.name,
            summary=f"{len(failed)} of {len(counted)} recent calls failed ({rate:.0%}).",
            observations=(
                Observation(
                    category="Elevated Error Rate",
                    description=f"{len(failed)}/{len(counted)} recent calls failed ({rate:.0%}): {kinds}.{left_out}",
                    evidence=cite_errors(failed),
                ),
            ),
            suggestions=("Review the error messages carefully - there may be a common root cause.",),
            severity="caution",
            timestamp=context.now,
            calls=tuple(record.call_index for record in failed),
            headline=f"{len(failed)} of {len(counted)} recent calls failed, the last with: "
            f"{code(result_of(failed[-1]))}. Look for a cause that they share.",
        )

    def _is_high(self, counted: Sequence[ToolCallRecord], context: ObserverContext) -> bool:
        """Return whether enough of `counted` failed, and failures go on; a new finding begins where one is recent."""
        failed = [record for record in counted if record.failed]
        too_few = len(counted) < self.minimum_sample or len(failed) < self.rate_threshold * len(counted)
        cascade, own = (context.session.progress.get(name) for name in (_CASCADE, self.name))
        if too_few or (cascade and cascade.standing):
            return False
        return window.goes_on(failed, counted, within=window.OVER_AFTER if own and own.standing else _BEGINS_WITHIN)

    def _counted(self, records: Sequence[ToolCallRecord]) -> Sequence[ToolCallRecord]:
        by_decision: dict[str, ToolCallRecord] = {}
        for record in records:
            is_failing_report = record.failures is not None and bool(record.failures or record.failed)
            if is_failing_report or record.polls or window.answers_that_nothing_is_there(record):
                continue
            if not _got_further(record, records):
                sibling = by_decision.get(record.decision)
                by_decision[record.decision] = record if sibling is None or sibling.failed else sibling
        return list(by_decision.values())


def _got_further(record: ToolCallRecord, records: Sequence[ToolCallRecord]) -> bool:
    """Return whether the call failed otherwise than at the run before it, and something was changed in between."""
    call = (record.tool_name, record.args_hash)
    before = [
        other
        for other in records
        if other.call_index < record.call_index and (other.tool_name, other.args_hash) == call
    ]
    if not record.failed or not record.args_hash or not before or before[-1].result_key == record.result_key:
        return False
    return any(other.changes for other in window.between(before[-1], record, records))


def _by_tool(records: Sequence[ToolCallRecord]) -> list[tuple[str, int]]:
    return Counter(record.tool_name for record in records).most_common(4)
