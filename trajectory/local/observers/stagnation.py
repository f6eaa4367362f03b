"""Stagnation: one tool with ever other arguments, and ever the same answer."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.calls import result_text, summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers, result_of
from trajectory.local.observers.finding import finding, nothing


@dataclass(frozen=True)
class Stagnation:
    """Notice a tool that answers different questions alike.

    Not counted are answers that say nothing (silence, no match) or that all is well, as many tools answer each
    success in the same words, and failures that the tool reported as such, which are SameError's. Raises
    ValueError for thresholds below 1 or never met.
    """

    window_size: int = 12
    caution_threshold: int = 4
    warning_threshold: int = 6

    def __post_init__(self) -> None:
        window.positive(self, "window_size", "caution_threshold", "warning_threshold")
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "caution_threshold", "warning_threshold", reason="the window_size")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Stagnation"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether there are enough calls."""
        return len(context.recent_tool_calls(self._lowest)) >= self._lowest

    @property
    def _lowest(self) -> int:
        return min(self.caution_threshold, self.warning_threshold)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the answer that came most often."""
        records = window.remembered(window.recent(context, self.window_size))
        groups: dict[tuple[str, str], list[ToolCallRecord]] = {}
        for record in records:
            if _tells(record):
                groups.setdefault((record.tool_name, record.result_key), []).append(record)
        stagnant = [
            group
            for group in groups.values()
            if window.decisions(group) >= self._lowest
            and 2 * len({record.args_hash for record in group}) >= len(group)
            and window.goes_on(group, records)
        ]
        return self._report(max(stagnant, key=len), context) if stagnant else nothing(self.name, context)

    def _report(self, group: list[ToolCallRecord], context: ObserverContext) -> Assessment:
        latest = group[-1]
        times = window.decisions(group)
        answered = f"{code(latest.tool_name)} gave the same answer to {_different(group)}"
        return finding(
            self.name,
            context,
            category="Same Answer",
            summary=f"{answered}.",
            description=f"Calls {numbers(group)} all came back with: {result_of(latest)}",
            evidence=cite_results(group),
            suggestions=[
                "Read that answer again: what you vary is not what it depends on.",
                "Check the assumption behind these calls, such as a path, a name or the form of the arguments.",
            ],
            severity="warning" if times >= self.warning_threshold else "caution",
            identity=f"{latest.tool_name} {latest.result_key}",
            headline=f"{answered}: {code(result_of(latest))}. What you vary is not what it depends on.",
            calls=group,
        )


def _different(group: list[ToolCallRecord]) -> str:
    distinct = len({record.args_hash for record in group})
    return f"{len(group)} calls with {'' if distinct == len(group) else f'{distinct} '}different arguments"


def _tells(record: ToolCallRecord) -> bool:
    quiet = record.says in (result_text.SUCCESS, result_text.NOTHING) or not record.result_key
    written = record.kind == summary.WRITE and record.says != result_text.FAILURE
    return not (quiet or written or record.polls or record.failed) and bool(record.args_hash)
