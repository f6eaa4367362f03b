"""EditThrash: an edit, its reversal, and both again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from memoryserver.common.light import dataclass
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls, numbers
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 40  # calls
_OVER_AFTER = 6


@dataclass(frozen=True)
class EditThrash:
    """Notice a place in a file that was brought back to a state it had left, `return_threshold` times.

    One way back is healthy: a change was tried and given up, or taken out to see whether it is to blame and put in
    again. A state is known by its text, so A, B, C, D does not return. Raises ValueError for a threshold
    below 1 or never met.
    """

    return_threshold: int = 2

    def __post_init__(self) -> None:
        window.positive(self, "return_threshold")
        window.at_most(self, _LOOK_BACK // 2 - 1, "return_threshold", reason="the returns that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Edit Thrash"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the latest call is an edit."""
        latest = session[ToolCallRecord].latest()
        return latest is not None and bool(latest.edits)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the state that was returned to most often."""
        records = window.recent(context, _LOOK_BACK)
        returns: dict[tuple[str, str], list[ToolCallRecord]] = defaultdict(list)
        for path, state, record in _returns(records):
            returns[path, state].append(record)
        thrashed = [
            (len(calls), path, state)
            for (path, state), calls in returns.items()
            if len(calls) >= self.return_threshold and window.goes_on(calls, records, within=_OVER_AFTER)
        ]
        if not thrashed:
            return nothing(self.name, context)
        times, path, state = max(thrashed)
        involved = [record for record in records if _touches(record, path, state)]
        return finding(
            self.name,
            context,
            category="Edit Thrash",
            summary=f"{code(path)} was brought back to the same state {times} times.",
            description=f"Edits {numbers(involved)} go back and forth between the same texts.",
            evidence=cite_calls(involved),
            suggestions=[
                "Decide between the two states by a test that tells them apart, then keep one.",
                "If neither works, the cause lies elsewhere.",
            ],
            severity="warning" if times > self.return_threshold else "caution",
            identity=path,
            calls=involved,
        )


def _touches(record: ToolCallRecord, path: str, state: str) -> bool:
    return any(edit[0] == path and state in edit[1:] for edit in record.edits)


def _returns(records: list[ToolCallRecord]) -> Iterator[tuple[str, str, ToolCallRecord]]:
    """Yield each return to a state of a place that had been left: an edit back, or a whole file written as it was."""
    left: dict[str, set[str]] = defaultdict(set)
    whole: dict[str, str] = {}
    for record in records:
        for path, replaced, after in record.edits:
            before = replaced or whole.get(path, "")
            if not replaced:  # the whole file was written
                whole[path] = after
            if before == after:
                continue
            if after in left[path]:
                yield path, after, record
            if before:
                left[path].add(before)
