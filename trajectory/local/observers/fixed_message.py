"""FixedMessage: a configured text, reported when its trigger is met."""

from __future__ import annotations

from memoryserver.common.light import dataclass
from trajectory.local.engine.assessment import Assessment, Observation, Severity
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session


@dataclass(frozen=True)
class FixedMessage:
    """Report `message` once each time the trigger is met, as when a file appears (`file_created`).

    Two of them need two titles: each title has its own memory. Raises ValueError for an empty text.
    """

    message: str
    title: str = "Message"
    severity: Severity = "caution"

    def __post_init__(self) -> None:
        if not self.message.strip() or not self.title.strip():
            raise ValueError("a fixed message needs a text and a title that are not empty")

    @property
    def name(self) -> str:
        """Return its title."""
        return self.title

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return True: the trigger decides."""
        return True

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Return the message, for as long as the trigger is met."""
        observations = (Observation(category="Message", description=self.message),) if context.due else ()
        return Assessment(
            observer_name=self.title,
            summary=self.message,
            observations=observations,
            severity=self.severity if observations else "info",
            timestamp=context.now,
            identity=f"Message: {self.message[:200]} at #{context.observer_state.total_assessments}",
        )
