"""ErrorCascadeDetector: one failure after the other."""

from __future__ import annotations

from itertools import islice, takewhile

from memoryserver.common.light import dataclass
from trajectory.local.calls import normalise
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, Observation, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_errors, result_of
from trajectory.local.observers.failing_tests import falling

_LOOK_BACK = 100  # calls; what a longer streak consists of is told by its last ones


@dataclass(frozen=True)
class ErrorCascadeDetector:
    """Detect consecutive error sequences.

    Counted are decisions: calls of one batch that fail together are one failure. Calls that were rejected,
    denied or cancelled, or that a provider failed, neither lengthen the sequence nor end it, and no more do reports
    of failing tests; while those get fewer, nothing is said. Tests that pass end it. With `info_threshold` a shorter
    sequence is noted, as "info". Raises ValueError for thresholds below 1.
    """

    consecutive_threshold: int = 3
    info_threshold: int | None = None

    def __post_init__(self) -> None:
        window.positive(self, "consecutive_threshold")
        if self.info_threshold is not None:
            window.positive(self, "info_threshold")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Error Cascade Detector"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the failures in a row have reached the lower threshold."""
        return _length(session, context) >= min(
            self.info_threshold or self.consecutive_threshold, self.consecutive_threshold
        )

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the failures in a row; without observations once a call succeeded."""
        fresh = _length(session, context)
        lowest = self.info_threshold or self.consecutive_threshold
        if fresh < min(lowest, self.consecutive_threshold) or falling(window.recent(context, _LOOK_BACK)):
            summary = "No sequence of failures."
            return Assessment(observer_name=self.name, summary=summary, timestamp=context.now)
        failed = _failures_in_a_row(session)
        latest = session[ToolCallRecord].latest()
        length = latest.streak if latest else fresh
        suggestions = [
            "Stop and reassess the current approach before continuing.",
            "Check if there's a common cause across these failures.",
        ]
        if len({normalise.of_error(record.error_message or "") for record in failed}) == 1:
            suggestions.append(
                "All errors appear similar - this suggests a systemic issue rather than individual problems."
            )
        return Assessment(
            observer_name=self.name,
            summary=f"Detected {length} consecutive failures. Immediate reassessment recommended.",
            observations=(
                Observation(
                    category="Error Cascade",
                    description=_description(length, failed),
                    evidence=cite_errors(failed),
                ),
            ),
            suggestions=tuple(suggestions),
            severity="warning" if fresh >= self.consecutive_threshold else "info",
            timestamp=context.now,
            headline=_headline(length, failed),
            calls=tuple(record.call_index for record in failed),
        )


def _headline(length: int, failed: list[ToolCallRecord]) -> str:
    last = f", the last with: {code(result_of(failed[-1]))}" if failed else ""
    what = "rounds of calls" if _has_siblings(failed) else "calls"
    return f"{length} {what} failed in a row{last}. Fix that first."


def _length(session: Session, context: ObserverContext) -> int:
    """Return the failed decisions in a row, without those that another observer has reported."""
    latest = session[ToolCallRecord].latest()
    if latest is None or not latest.streak or latest.streak_from > context.ignore_evidence_before:
        return latest.streak if latest else 0
    return len(
        {
            record.decision
            for record in _failures_in_a_row(session)
            if record.call_index > context.ignore_evidence_before
        }
    )


def _failures_in_a_row(session: Session) -> list[ToolCallRecord]:
    """Return the failed calls of the present streak among the last hundred calls, oldest first."""
    latest = session[ToolCallRecord].latest()
    began = latest.streak_from if latest else 0
    newest = islice(session[ToolCallRecord].newest_first(), _LOOK_BACK)
    streak = takewhile(lambda record: record.call_index >= began, newest)
    return [record for record in streak if record.failed and record.failures is None and not record.polls][::-1]


def _description(length: int, failed: list[ToolCallRecord]) -> str:
    if _has_siblings(failed):
        return f"{length} consecutive decisions have failed; calls made in parallel count as one."
    return f"{length} consecutive tool calls have failed."


def _has_siblings(failed: list[ToolCallRecord]) -> bool:
    return window.decisions(failed) < len(failed)
