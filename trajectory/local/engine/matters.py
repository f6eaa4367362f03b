"""What the agent was notified of in this turn, by matter, and whether a finding may be sent now.

Several observers see one loop: its calls are the same, or their results, errors or states of files. That is one matter,
and so is the same finding again, and what one observer finds without naming calls. Of each matter the agent hears once,
and again after a pause; another one waits for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memoryserver.common.digest import digest
from memoryserver.common.light import dataclass, replace
from trajectory.local.calls import repeats
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine import assessment as assessments
from trajectory.local.engine.assessment import SEVERITIES, Assessment, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REPEAT_AFTER = 20  # calls
LONGEST_PAUSE = 80
_MAX_MATTERS = 10
_MAX_MARKS = 40


@dataclass(frozen=True)
class Told:
    """A finding on its way to the agent: of which observer (its key), and what its calls can be recognised by."""

    key: str
    finding: Assessment
    marks: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Return what the same finding has again."""
        return _digest((self.key, self.finding.identity))


@dataclass(frozen=True)
class Matter:
    """One thing that the agent was notified of at the call `at`, for the `times`th time; `severity` is the worst.

    The pause doubles with each message, from 20 to 80 calls: an agent that ignores repeated messages concerns the
    operator. A finding more severe than the messages so far is sent at once, and does not lengthen the pause.
    """

    at: int
    times: int
    severity: Severity
    names: tuple[str, ...]  # of the findings
    marks: tuple[str, ...]  # of the calls, the latest last

    def is_about(self, told: Told) -> bool:
        """Return whether the finding is the same, or another about some of the same calls."""
        return told.name in self.names or not told.marks.isdisjoint(self.marks)

    def allows(self, finding: Assessment, call_index: int) -> bool:
        """Return whether `finding`, which is about this, may be sent now."""
        if SEVERITIES.index(finding.severity) > SEVERITIES.index(self.severity):
            return True
        pause: int = min(REPEAT_AFTER << min(self.times - 1, 9), LONGEST_PAUSE)
        return call_index - self.at >= pause


@dataclass(frozen=True)
class NotificationState:
    """The call of the last notification in `turn`, 0 for none, and its matters, the latest last."""

    at: int = 0
    turn: str = ""
    matters: tuple[Matter, ...] = ()

    def allows(self, told: Told, call_index: int, turn: str) -> bool:
        """Return whether the finding, which its observer wants to report, may be sent now."""
        known = self.matters if turn == self.turn else ()
        return all(matter.allows(told.finding, call_index) for matter in known if matter.is_about(told))

    def after(self, told: Told, call_index: int, turn: str) -> NotificationState:
        """Return the state after the agent was notified of the finding."""
        known = self.matters if turn == self.turn else ()
        before = [matter for matter in known if matter.is_about(told)]
        severity = told.finding.severity
        worst = assessments.worst(matter.severity for matter in before)
        is_worse = SEVERITIES.index(severity) > SEVERITIES.index(worst)
        times = max((matter.times for matter in before), default=0)
        matter = Matter(
            at=call_index,
            times=times if times and is_worse else times + 1,
            severity=severity if is_worse else worst,
            names=_latest([*(name for each in before for name in each.names), told.name]),
            marks=_latest([*(mark for each in before for mark in each.marks), *sorted(told.marks)]),
        )
        others = [each for each in known if each not in before]
        return NotificationState(call_index, turn, (*others, matter)[-_MAX_MATTERS:])

    def going_on(self, told: Told) -> NotificationState:
        """Return the state with the marks of a further call of a finding; unchanged if the agent was not notified."""
        matters = tuple(
            replace(matter, marks=_latest([*matter.marks, *sorted(told.marks)]))
            if told.name in matter.names
            else matter
            for matter in self.matters
        )
        return self if matters == self.matters else replace(self, matters=matters)


def told_of(key: str, finding: Assessment, records: Iterable[ToolCallRecord]) -> Told:
    """Return `finding`, of the observer with that key, with the marks of those of `records` that it names."""
    numbers = set(finding.calls)
    marks = marks_of(record for record in records if record.call_index in numbers)
    return Told(key, finding, marks if numbers else frozenset({_digest(("observer", key))}))


def marks_of(calls: Iterable[ToolCallRecord]) -> frozenset[str]:
    """Return what the calls share with others that are about the same: the call, its result, error or edit."""
    return frozenset(_digest(mark) for call in calls for mark in repeats.marks(vars(call)) or _shown(call))


def to_row(state: NotificationState) -> dict[str, Any]:
    """Return the state as a JSON object."""
    return {"at": state.at, "turn": state.turn, "matters": [vars(matter) for matter in state.matters]}


def from_row(row: Mapping[str, Any]) -> NotificationState:
    """Return the state of a row that `to_row` made, or one of before there were matters, which then has none.

    Raises ValueError, KeyError or TypeError for another.
    """
    if not row:
        return NotificationState()
    matters = (
        Matter(**each | {key: tuple(each[key]) for key in ("names", "marks")}) for each in row.get("matters", ())
    )
    return NotificationState(int(row["at"]), str(row["turn"]), tuple(matters))


def _shown(call: ToolCallRecord) -> list[tuple[object, ...]]:
    return [("shown", call.tool_name, call.params_summary)]


def _latest(values: Iterable[str]) -> tuple[str, ...]:
    """Return the latest _MAX_MARKS different ones of `values`, the latest last."""
    return tuple(reversed(list(dict.fromkeys(reversed(list(values))))[:_MAX_MARKS]))


def _digest(parts: Iterable[object]) -> str:
    return digest("\0".join(map(str, parts)).encode("utf-8", "replace"), 6)
