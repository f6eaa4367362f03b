"""Recreated: a file is made, used and removed, and made again."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from memoryserver.common.light import dataclass
from trajectory.local.calls import result_text, summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_calls, numbers
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 100  # calls
_OVER_AFTER = 6


@dataclass(frozen=True)
class Round:
    """A file's life: the call that made it, those that ran something while it was there, the one that removed it."""

    created: ToolCallRecord
    runs: tuple[ToolCallRecord, ...]
    removed: ToolCallRecord
    other_changes: bool  # whether another file was changed since the life before

    @property
    def result(self) -> str:
        """Return what the last run gave, "" where that is unknown, or says success or nothing."""
        last = self.runs[-1] if self.runs else None
        quiet = last is None or last.says in (result_text.SUCCESS, result_text.NOTHING) or last.failures == 0
        return "" if last is None or quiet else last.result_key


@dataclass(frozen=True)
class Recreated:
    """Notice a script that is made, run and removed over and over, by its name.

    Reported are `same_threshold` such rounds with the same result, of names that differ in their numbers alone, and
    `round_threshold` rounds of one name with any result if less than half of them come with a change of something else:
    then the rounds are all that happens. A check that is made for each finished task, and passes or shows something
    else, is none. Raises ValueError for a threshold below 1 or never met.
    """

    same_threshold: int = 3
    round_threshold: int = 5

    def __post_init__(self) -> None:
        window.positive(self, "same_threshold", "round_threshold")
        window.at_most(self, _LOOK_BACK // 3, "same_threshold", reason="the rounds that are looked at")
        window.at_most(self, _LOOK_BACK // 2, "round_threshold", reason="the rounds that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Recreated File"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether one of the latest calls removed a file."""
        return any(record.removes for record in context.recent_tool_calls(window.OVER_AFTER))

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the file that was removed last, if its rounds go nowhere."""
        records = window.recent(context, _LOOK_BACK)
        removals = [record for record in records if record.removes]
        if not removals or not window.goes_on(removals, records, within=_OVER_AFTER):
            return nothing(self.name, context)
        numbered = _rounds(removals[-1].removes, records, _without_numbers)
        alike = _alike(numbered)
        if len(alike) >= self.same_threshold:
            return self._report(alike, context, same=True)
        rounds = _rounds(removals[-1].removes, records, posixpath.basename)
        others = sum(one.other_changes for one in rounds[1:])
        nothing_else = len(rounds) >= self.round_threshold and 2 * others < len(rounds) - 1
        return self._report(rounds, context, same=False) if nothing_else else nothing(self.name, context)

    def _report(self, rounds: list[Round], context: ObserverContext, *, same: bool) -> Assessment:
        path = rounds[-1].created.paths[0]
        calls = [record for one in rounds for record in (one.created, one.removed)]
        result = ", with the same result" if same else ""
        one_name = len({posixpath.basename(one.created.paths[0]) for one in rounds}) == 1
        subject = f"{code(path)} was" if one_name else f"Files like {code(path)} were"
        return finding(
            self.name,
            context,
            category="Recreated File",
            summary=f"{subject} made and removed {len(rounds)} times{result}.",
            description=f"Calls {numbers(calls)} make and remove it.",
            evidence=cite_calls(calls),
            suggestions=[
                "Keep the file until the work is done, and change what it tests before you run it again.",
                "Say what the next run should show that the last ones did not.",
            ],
            severity="caution",
            identity=_without_numbers(path),
            calls=calls,
        )


def _rounds(removed: Iterable[str], records: Iterable[ToolCallRecord], name_of: Callable[[str], str]) -> list[Round]:
    """Return the rounds of the files with the names of those that were `removed`, oldest first."""
    names = frozenset(map(name_of, removed))
    rounds: list[Round] = []
    created: ToolCallRecord | None = None
    runs: list[ToolCallRecord] = []
    other_changes = False
    for record in records:
        if record.kind == summary.WRITE and record.changes and not names.isdisjoint(map(name_of, record.paths)):
            created = created or record
        elif created is not None and not names.isdisjoint(map(name_of, record.removes)):
            rounds.append(Round(created, tuple(runs), record, other_changes))
            created, runs, other_changes = None, [], False
        elif record.changes:
            other_changes = True
        elif created is not None and record.kind == summary.COMMAND and not record.looks:
            runs.append(record)
    return rounds


def _alike(rounds: Sequence[Round]) -> list[Round]:
    """Return the latest of `rounds` that had the same result, oldest first; none without a result."""
    latest = rounds[-1].result if rounds else ""
    return list(takewhile(lambda one: one.result == latest, reversed(rounds)))[::-1] if latest else []


def _without_numbers(path: str) -> str:
    return "".join(letter for letter in posixpath.basename(path) if not letter.isdecimal())
