"""RepeatCall: the same call with the same result, repeated."""

from __future__ import annotations

from itertools import pairwise

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers, result_of
from trajectory.local.observers.finding import finding, nothing


@dataclass(frozen=True)
class RepeatCall:
    """Notice a call that is made again with all its arguments and gives the same result, others in between or not.

    Not a repetition: calls of one batch, waiting (see Poll), and running a check again after each new change - where
    that keeps failing in the same way, EditTestLoop reports it. A change that was made before in the same way, as of a
    file that is removed and written again, is not new. Raises ValueError for thresholds below 1 or never met.
    """

    window_size: int = 10
    repetition_threshold: int = 3

    def __post_init__(self) -> None:
        window.positive(self, "window_size", "repetition_threshold")
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "repetition_threshold", reason="the window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Repeated Call"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there are enough calls."""
        return len(context.recent_tool_calls(self.repetition_threshold)) >= self.repetition_threshold

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the call that was repeated most among those that go on."""
        records = window.recent(context, self.window_size)
        groups: dict[tuple[str, str, str], list[ToolCallRecord]] = {}
        for record in window.remembered(records):
            if record.args_hash and record.result_key and not record.polls:
                groups.setdefault((record.tool_name, record.args_hash, record.result_key), []).append(record)
        looping = [group for group in groups.values() if self._loops(group, records)]
        if not looping:
            return nothing(self.name, context)
        return self._report(max(looping, key=len), context)

    def _loops(self, group: list[ToolCallRecord], records: list[ToolCallRecord]) -> bool:
        if window.decisions(group) < self.repetition_threshold or not window.goes_on(group, records):
            return False
        call = (group[-1].tool_name, group[-1].args_hash)
        later = (record for record in records if record.call_index > group[-1].call_index)
        if any((record.tool_name, record.args_hash) == call for record in later):
            return False  # it has had another result since
        gaps = [window.between(first, second, records) for first, second in pairwise(group)]
        return not all(any(_is_new_change(call, records) for call in gap) for gap in gaps)

    def _report(self, group: list[ToolCallRecord], context: ObserverContext) -> Assessment:
        latest = group[-1]
        fresh = window.decisions(group)
        times = max(fresh, latest.same)
        return finding(
            self.name,
            context,
            category="Repeated Call",
            summary=_failing(latest, times) if all(record.failed for record in group) else _answered(latest, times),
            description=f"Calls {numbers(group)} have the same arguments and the same result.",
            evidence=cite_results(group),
            suggestions=[
                "Fix that first: made again as it is, the call will fail again."
                if latest.failed
                else "Work with the result you have: making this call again will give it again.",
                "If it is not what you need, change what it depends on, or find the information elsewhere.",
            ],
            severity="warning" if fresh >= 2 * self.repetition_threshold else "caution",
            identity=f"{latest.tool_name} {latest.args_hash}",
            calls=group,
        )


def _is_new_change(record: ToolCallRecord, records: list[ToolCallRecord]) -> bool:
    """Return whether the call changed something, and not only made again what was made, or removed, before."""
    return record.changes and not any(
        (earlier.tool_name, earlier.args_hash, earlier.result_key)
        == (record.tool_name, record.args_hash, record.result_key)
        for earlier in records
        if earlier.call_index < record.call_index and earlier.args_hash
    )


def _failing(latest: ToolCallRecord, times: int) -> str:
    return (
        f"The same {code(latest.tool_name)} call failed {times} times with the same error: {code(result_of(latest))}."
    )


def _answered(latest: ToolCallRecord, times: int) -> str:
    size = latest.result_size
    return f"The same {code(latest.tool_name)} call was made {times} times, with the same output, {size} characters."
