"""The resolved entries of a journal: read, added to and corrected. `Journal` builds on this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ghap.local import resolution
from ghap.local.entry import GHAPEntry, Lesson, OutcomeStatus, RootCause
from ghap.local.errors import NoSuchEntryError
from ghap.local.fields import bounded
from ghap.local.sessions import Sessions
from ghap.local.store import Store


class ResolvedEntries(Sessions):
    """The entries of the journal that have an outcome; the errors are those that `Journal` names."""

    _store: Store

    def get_session_entries(self) -> list[GHAPEntry]:
        """Return the entries resolved in this session, oldest first; unreadable lines are logged and skipped."""
        lines = self._store.session_lines()
        resolution.warn_unreadable(lines)
        return list({line.entry.id: line.entry for line in lines if line.entry}.values())

    def get_all_entries(self) -> list[GHAPEntry]:
        """Return every resolved entry of the journal, archives included, oldest session first."""
        return list(self._store.filed_entries())

    def amend_ghap(
        self,
        entry_id: str | None = None,
        *,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        note: str | None = None,
    ) -> GHAPEntry:
        """Add what was learned to a resolved entry, by default the one resolved last, and return it.

        The values replace those of the entry, a note is added; its outcome stays. So an entry that its check resolved
        gets its surprise and root cause. Raises ValueError where all are None, NoSuchEntryError.
        """
        learned = resolution.learned(surprise, root_cause, lesson)
        notes = [] if note is None else [bounded(note, "note")]
        if not learned and not notes:
            raise ValueError("nothing to add: give a surprise, root cause, lesson or note")
        return self._amend(entry_id, lambda filed: replace(filed, **learned, notes=[*filed.notes, *notes]))

    def correct_ghap(
        self,
        status: OutcomeStatus,
        result: str,
        surprise: str | None = None,
        root_cause: RootCause | None = None,
        lesson: Lesson | None = None,
        *,
        entry_id: str | None = None,
    ) -> GHAPEntry:
        """State the outcome of a resolved entry again, by default of the one resolved last, and return it.

        Another status replaces the outcome, which is kept among the earlier ones; the same status adds `result` to it.
        Raises NoSuchEntryError.
        """
        outcome = resolution.outcome(status, result)
        learned = resolution.learned(surprise, root_cause, lesson)
        return self._amend(entry_id, lambda filed: resolution.corrected(filed, outcome, learned))

    def _amend(self, entry_id: str | None, change: Callable[[GHAPEntry], GHAPEntry]) -> GHAPEntry:
        with self._locked():
            self._store.load()
            match = self._store.find_filed(entry_id)
            if match is None:
                raise NoSuchEntryError("no such entry was resolved in this journal")
            path, filed = match
            entry = change(filed)
            if entry != filed:
                self._store.file_again(path, entry)
        return entry
