"""StallDetector: the same tool again and again, or most calls failing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation, Severity, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls, cite_errors

REPETITION = "Repetitive Pattern"
ERROR_RATE = "Elevated Error Rate"
_SERIOUS_ERROR_RATE = 0.7
_IN_SUMMARY = {REPETITION: "repetitive tool usage", ERROR_RATE: "elevated error rate"}


@dataclass(frozen=True)
class StallDetector:
    """Detect when agent is stuck in loops or error cascades.

    It compares the names of tools and nothing else, so an agent that edits one file in four places looks
    to it like one that repeats an edit: good for an overview, too coarse to warn by. Raises ValueError for a threshold
    that can never be met.
    """

    window_size: int = 10
    repetition_threshold: int = 3
    error_rate_threshold: float = 0.5

    def __post_init__(self) -> None:
        window.at_most(self, window.KEPT, "window_size")
        window.at_most(self, self.window_size, "repetition_threshold", reason="the window_size")
        window.at_most(self, 1, "error_rate_threshold", reason="all calls")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Stall Detector"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether a whole window of calls has passed since it last ran."""
        return context.observer_state.tool_calls_since_assessment >= self.window_size

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Count tools and failures in the window."""
        recent = context.recent_tool_calls(self.window_size)
        counts = Counter(record.tool_name for record in recent)
        repeated = {tool: count for tool, count in counts.items() if count >= self.repetition_threshold}
        error_rate = context.error_rate(self.window_size)
        observations = [self._repetition(recent, tool, count) for tool, count in repeated.items()]
        suggestions = [
            f"Consider a different approach - repeated {code(tool)} calls suggest the current strategy isn't working."
            for tool in repeated
        ]
        if any(record.failed for record in recent) and error_rate >= self.error_rate_threshold:
            observations.append(self._failures(recent, error_rate))
            suggestions.append("Review the error messages carefully - there may be a common root cause.")
        return Assessment(
            observer_name=self.name,
            summary=_summarize(observations),
            observations=tuple(observations),
            suggestions=tuple(suggestions),
            severity=self._severity(observations, error_rate, repeated),
            timestamp=context.now,
            identity=", ".join([*sorted(repeated), *{each.category for each in observations[len(repeated) :]}]),
        )

    def _repetition(self, recent: Sequence[ToolCallRecord], tool: str, count: int) -> Observation:
        return Observation(
            category=REPETITION,
            description=f"Tool {code(tool)} called {count} times in last {len(recent)} calls.",
            evidence=cite_calls([record for record in recent if record.tool_name == tool]),
        )

    def _failures(self, recent: Sequence[ToolCallRecord], error_rate: float) -> Observation:
        failed = [record for record in recent if record.failed]
        counted = sum(record.counts for record in recent)
        return Observation(
            category=ERROR_RATE,
            description=f"{len(failed)}/{counted} recent calls failed ({error_rate:.0%}).",
            evidence=cite_errors(failed),
        )

    def _severity(
        self, observations: Sequence[Observation], error_rate: float, repeated: Mapping[str, int]
    ) -> Severity:
        if not observations:
            return "info"
        doubly_repeated = any(count >= self.repetition_threshold * 2 for count in repeated.values())
        return "warning" if doubly_repeated or error_rate >= _SERIOUS_ERROR_RATE else "caution"


def _summarize(observations: Sequence[Observation]) -> str:
    if not observations:
        return "No concerning patterns detected. Progress appears normal."
    kinds = dict.fromkeys(_IN_SUMMARY[observation.category] for observation in observations)
    return f"Detected {', '.join(kinds)} in recent activity. Review observations below."
