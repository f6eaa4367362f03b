"""Changes to an active entry: the values are checked before anything is touched, then applied in one step."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ghap.local.entry import GHAPEntry, HistoryEntry, Strategy
from ghap.local.fields import bounded, member
from memoryserver.common import clock


@dataclass(frozen=True)
class Changes:
    """The checked values of one update. `texts` are those of hypothesis, action and prediction, by name."""

    texts: dict[str, str]
    strategy: Strategy | None
    note: str | None
    check: str | None

    def apply(self, entry: GHAPEntry) -> GHAPEntry:
        """Return `entry` with these changes; equal to `entry` where they change nothing."""
        changed = _iterate(entry, self.texts)
        if self.strategy is not None:
            changed = replace(changed, strategy=self.strategy)
        if self.note is not None:
            changed = replace(changed, notes=[*changed.notes, self.note])
        if self.check is not None:
            changed = replace(changed, check=self.check.strip() or None)
        return changed


def checked(
    hypothesis: str | None,
    action: str | None,
    prediction: str | None,
    strategy: Strategy | None,
    note: str | None,
    check: str | None,
) -> Changes:
    """Return the changes that the values which are not None make.

    Raises ValueError where all are None, and InvalidEntryError where one is of the wrong kind.
    """
    if all(value is None for value in (hypothesis, action, prediction, strategy, note, check)):
        raise ValueError("nothing to update: give a hypothesis, action, prediction, strategy, note or check")
    texts = {"hypothesis": hypothesis, "action": action, "prediction": prediction}
    return Changes(
        texts={name: bounded(value, name) for name, value in texts.items() if value is not None},
        strategy=None if strategy is None else member(strategy, Strategy, "strategy"),
        note=None if note is None else bounded(note, "note"),
        check=None if check is None else bounded(check, "check"),
    )


def _iterate(entry: GHAPEntry, texts: dict[str, str]) -> GHAPEntry:
    """Return `entry` with `texts` as its hypothesis, action and prediction; a new iteration if one differs."""
    if all(getattr(entry, name) == value for name, value in texts.items()):
        return entry
    # Files without `current_since`: the last recorded change is the earliest it can have been.
    recorded = entry.history[-1].timestamp if entry.history else entry.created_at
    past = HistoryEntry(entry.current_since or recorded, entry.hypothesis, entry.action, entry.prediction)
    return replace(
        entry,
        **texts,  # type: ignore[arg-type]
        history=[*entry.history, past],
        iteration_count=entry.iteration_count + 1,
        current_since=clock.now(),
    )
