"""SameError: one error out of different calls."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local import outcome
from trajectory.local.calls import summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_errors, numbers, result_of
from trajectory.local.observers.finding import nothing


@dataclass(frozen=True)
class SameError:
    """Notice an error that comes back whatever is called, be it by other arguments or another tool.

    Errors are the same but for folders, lines, ids and times. The failing tests of a report are no error of a call
    (see TestTrend), nor is what a person, a rule or a provider brought about. An edit that was refused, and then made
    after all, is a slip that the agent has corrected: it does not count, and neither does the answer of a reading tool
    that there is no such file. Raises ValueError for thresholds below 1 or never met.
    """

    window_size: int = 20
    error_threshold: int = 3

    def __post_init__(self) -> None:
        window.positive(self, "window_size", "error_threshold")
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "error_threshold", reason="the window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Same Error"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether one of the latest calls failed: a refusal may become known only with the call after it."""
        return any(record.failed for record in context.recent_tool_calls(window.OVER_AFTER))

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the error that came most often."""
        records = window.recent(context, self.window_size)
        groups: dict[str, list[ToolCallRecord]] = {}
        for record in records:
            if _is_error(record) and not _is_corrected(record, records):
                groups.setdefault(record.error_key, []).append(record)
        recurring = [
            group
            for group in groups.values()
            if window.decisions(group) >= self.error_threshold
            and _different(group) >= min(self.error_threshold, 3)
            and window.goes_on(group, records)
        ]
        return self._report(max(recurring, key=len), context) if recurring else nothing(self.name, context)

    def _report(self, group: list[ToolCallRecord], context: ObserverContext) -> Assessment:
        times, calls = window.decisions(group), _counted(group)
        tools = ", ".join(sorted({record.tool_name for record in group})[:6])
        number = f"#{group[0].call_index}"
        first = group[0].error_message or ""
        return Assessment(
            observer_name=self.name,
            summary=f"{calls} have failed with the same error.",
            observations=(
                Observation("Same Error", f"Calls {numbers(group)} of {tools} failed alike.", cite_errors(group)),
                Observation("First Message", f"{number} said in full:", f"{number}: {first}"),
            ),
            suggestions=(
                "Look for the cause that these calls share before the next one: a missing file, a setting, a folder.",
                "Varying the call has not helped so far.",
            ),
            severity="warning" if times >= 2 * self.error_threshold else "caution",
            timestamp=context.now,
            identity=f"Same Error: {group[0].error_key}",
            headline=f"{calls} failed with the same error: {code(result_of(group[-1]))}. "
            "Find the cause that they share before the next one.",
            calls=tuple(record.call_index for record in group),
        )


def _is_error(record: ToolCallRecord) -> bool:
    is_failure = record.failed and record.failures is None and bool(record.error_key)
    return is_failure and not window.answers_that_nothing_is_there(record)


def _is_corrected(refused: ToolCallRecord, records: list[ToolCallRecord]) -> bool:
    """Return whether the edit `refused` was followed by one of the same file that was made."""
    return refused.kind == summary.WRITE and any(
        record.kind == summary.WRITE
        and record.call_index > refused.call_index
        and record.outcome == outcome.OK
        and not set(refused.paths).isdisjoint(record.paths)
        for record in records
    )


def _counted(group: list[ToolCallRecord]) -> str:
    different = _different(group)
    return (
        f"{different} different calls"
        if different == len(group)
        else f"{len(group)} calls, {different} different ones,"
    )


def _different(group: list[ToolCallRecord]) -> int:
    return len({(record.tool_name, record.args_hash or record.params_summary) for record in group})
