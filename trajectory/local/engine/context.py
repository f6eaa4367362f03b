"""The interface of an observer: TrajectoryObserver, ObserverContext, Filesystem."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import takewhile

from memoryserver.common import clock
from memoryserver.common.light import dataclass, field
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.session import ObserverState, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # for type checkers alone; importing `typing` costs a hook 3 ms


class Filesystem(Protocol):
    """The files that assessments are written to; paths are relative to the project, with `/`."""

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a folder at `path`."""

    def mkdir(self, path: str, *, parents: bool = False) -> None:
        """Make the folder at `path`."""

    def read_text(self, path: str) -> str:
        """Return the content of the file at `path`."""

    def write_text(self, path: str, content: str) -> None:
        """Put `content` at `path`, in place of what was there."""


@dataclass(frozen=True)
class ObserverContext:
    """Context provided to observers during assessment.

    `observer_state` holds the figures of the observer's own config, so that an observer that runs often
    never resets the counter of one that runs seldom. `now` is the time to put on an assessment. `due` says that the
    config's trigger is met, and not only looked again at an open finding. Calls up to
    `ignore_evidence_before` (an index) are not evidence for a new finding: the agent was already notified of them.
    """

    session: Session
    filesystem: Filesystem
    observer_state: ObserverState
    now: datetime = field(default_factory=clock.now)
    due: bool = True
    ignore_evidence_before: int = 0

    def recent_tool_calls(self, n: int) -> Sequence[ToolCallRecord]:
        """Return the `n` most recent records, oldest first; none for `n` below 1."""
        return self.session[ToolCallRecord].last(n)

    def tool_calls_since(self, timestamp: datetime) -> Sequence[ToolCallRecord]:
        """Return the records from `timestamp` on, oldest first; a time without a zone is taken as UTC.

        Walks back from the newest and stops at the first older one.
        """
        since = timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
        newest_first = self.session[ToolCallRecord].newest_first()
        return tuple(takewhile(lambda record: record.timestamp >= since, newest_first))[::-1]

    def error_rate(self, window: int) -> float:
        """Return the share of failures, 0.0 to 1.0, among the last `window` calls that count.

        Rejected, denied, cancelled calls and those a provider failed are left out; 0.0 where none is left.
        """
        counted = [record for record in self.recent_tool_calls(window) if record.counts]
        return sum(record.failed for record in counted) / len(counted) if counted else 0.0


class TrajectoryObserver(Protocol):
    """Programmatic assessment of agent trajectory.

    `observe` must not rely on `should_run` having been asked: while a finding is open of which the agent
    was notified, it is called again at every call. A finding is taken out when it returns an assessment without
    observations, and when a person speaks, unless the observer has an attribute `spans_turns` that is true. One that
    never runs before so many calls of the session says so by an attribute `least_calls`, and is not asked before.
    """

    @property
    def name(self) -> str:
        """Unique identifier for this observer."""

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Determine if assessment threshold has been met."""

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Analyze trajectory and produce feedback."""
