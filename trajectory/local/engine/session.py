"""Session: the tool calls of one agent and the observers' memory of them, in two slices.

    session.dispatch(RecordToolCall(call))
    session[ToolCallRecord].latest()      session[ToolCallRecord].all()
    session[ObserverState].latest()       session[ObserverState].seed(state)
    before = session.snapshot()           session.restore(before)

A session belongs to one agent: a sub-agent has its own. Between processes it is kept by
`trajectory.local.store`, which loads only the newest calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from memoryserver.common.light import dataclass, field, replace
from trajectory.local.calls import repeats
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.matters import NotificationState
from trajectory.local.engine.progress import ObserverProgress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


@dataclass(frozen=True)
class ObserverState:
    """Tracks observer execution: totals over all observers of the session.

    The context that an observer gets holds its own figures in the same form.
    """

    tool_calls_since_assessment: int = 0
    last_assessment_time: datetime | None = None
    last_assessment_call_index: int = 0
    total_assessments: int = 0


@dataclass(frozen=True)
class RecordToolCall:
    """The event that appends `call` to the session."""

    call: ToolCallRecord


@dataclass(frozen=True)
class Snapshot:
    """All of a session at one moment; nothing in it changes when the session goes on."""

    calls: tuple[ToolCallRecord, ...]
    states: tuple[ObserverState, ...]
    progress: tuple[tuple[str, ObserverProgress], ...]
    started: datetime | None
    written: tuple[tuple[str, str], ...] = ()
    notifications: NotificationState = field(default_factory=NotificationState)
    observed: int = 0


class Slice(Iterable["T"]):
    """The values of one type in a session, oldest first."""

    def __init__(self, admit: Callable[[Slice[T], T], T]) -> None:
        self._values: list[T] = []
        self._admit = admit

    def __iter__(self) -> Iterator[T]:
        return iter(self._values)

    def latest(self) -> T | None:
        """Return the newest value, None where there is none."""
        return self._values[-1] if self._values else None

    def all(self) -> tuple[T, ...]:
        """Return every value that the session holds; costs a copy of them."""
        return tuple(self._values)

    def last(self, n: int) -> tuple[T, ...]:
        """Return the newest `n` values, oldest first; none for `n` below 1. Costs the same for every length."""
        return tuple(self._values[-n:]) if n > 0 else ()

    def newest_first(self) -> Iterator[T]:
        """Walk the values backwards without copying them."""
        return reversed(self._values)

    def seed(self, values: T | Iterable[T]) -> None:
        """Replace all values by one value or by several."""
        replacements = values if isinstance(values, Iterable) else (values,)
        self._values = []
        for value in replacements:
            self.append(value)

    def append(self, value: T) -> T:
        """Add a value at the end and return it as it was kept."""
        admitted = self._admit(self, value)
        self._values.append(admitted)
        return admitted


class Session:
    """The two slices, and the memory of each observer config under `progress`."""

    def __init__(self) -> None:
        self._calls: Slice[ToolCallRecord] = Slice(_numbered)
        self._states: Slice[ObserverState] = Slice(lambda _before, state: state)
        self.progress: dict[str, ObserverProgress] = {}
        self.started: datetime | None = None  # of the first call; what `every_n_seconds` counts from
        self.written: dict[str, str] = {}  # output path -> digest of what this session last wrote there
        self.notifications = NotificationState()  # what the agent was notified of in this turn
        self.observed = 0  # call_index of the last call that the observers were run after
        self.write_failure = ""  # why the last attempt to write an assessment failed

    def __getitem__(self, kind: type[T]) -> Slice[T]:
        """Return the slice of ToolCallRecord or of ObserverState; raises KeyError for another type."""
        slices: dict[object, Slice[Any]] = {ToolCallRecord: self._calls, ObserverState: self._states}
        if kind not in slices:
            raise KeyError(f"a session has slices of ToolCallRecord and ObserverState, not of {kind!r}")
        return slices[kind]

    def dispatch(self, event: RecordToolCall) -> ToolCallRecord:
        """Append the event's call and return it as kept: numbered after the last one, with its streak.

        A call_index that is given and higher than the last one is kept, any other is assigned.
        """
        return self._calls.append(event.call)

    def snapshot(self) -> Snapshot:
        """Return all of the session now."""
        return Snapshot(
            self._calls.all(),
            self._states.all(),
            tuple(self.progress.items()),
            self.started,
            tuple(self.written.items()),
            self.notifications,
            self.observed,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to `snapshot`, observers' memory included; their files follow at the next call."""
        self._calls.seed(snapshot.calls)
        self._states.seed(snapshot.states)
        self.progress = dict(snapshot.progress)
        self.started = snapshot.started
        self.notifications = snapshot.notifications
        self.observed = snapshot.observed
        # What lies in the files does not go back with the session.
        self.written = self.written or dict(snapshot.written)


def _numbered(earlier: Slice[ToolCallRecord], call: ToolCallRecord) -> ToolCallRecord:
    before = earlier.latest()
    last = before.call_index if before else 0
    if call.call_index > last and call.repeats:
        return call  # comes numbered and counted from a store or a snapshot, perhaps without the one before it
    assigned: dict[str, Any] = {"call_index": max(call.call_index, last + 1)}
    assigned |= repeats.relations([vars(record) for record in earlier.last(repeats.WITHIN)], vars(call) | assigned)
    is_numbered = all(getattr(call, name) == value for name, value in assigned.items())
    return call if is_numbered else replace(call, **assigned)
