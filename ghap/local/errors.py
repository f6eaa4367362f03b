"""The errors of a journal.

GHAPError
├── GHAPAlreadyActiveError   an entry is active, no other can begin
├── NoActiveGHAPError        there is no entry to update, resolve or abandon
├── ResolvedBeforeError      none is active; the last one was resolved by its agent, otherwise
├── NoSuchEntryError         no entry of that id was resolved in this journal
├── JournalCorruptedError    a damaged file could not be set aside
├── JournalLockedError       another process held the journal for too long
└── InvalidEntryError        also a ValueError: not an entry, or not a value of one
"""

from __future__ import annotations


class GHAPError(Exception):
    """Base of all errors of the journal; the text is one line fit for a person."""


class GHAPAlreadyActiveError(GHAPError):
    """An entry is active, from this session or, with `is_orphan`, an earlier one.

    `about` names it; the text adds the calls that work on it.
    """

    def __init__(self, about: str = "a GHAP entry is active", *, is_orphan: bool = False) -> None:
        adopt = "adopt it (adopt_orphan), " if is_orphan else ""
        super().__init__(f"{about}: resolve it (resolve_ghap), {adopt}or abandon it (abandon_ghap)")
        self.about = about
        self.is_orphan = is_orphan


class NoActiveGHAPError(GHAPError):
    """There is no active entry to update, resolve or abandon."""


class ResolvedBeforeError(GHAPError):
    """None is active, and the entry `entry_id` that was resolved last is not to be changed without being named."""

    def __init__(self, about: str, entry_id: str) -> None:
        super().__init__(f"{about}; to correct that, name it")
        self.about = about
        self.entry_id = entry_id


class NoSuchEntryError(GHAPError):
    """The journal has no resolved entry of that id, or none at all."""


class JournalCorruptedError(GHAPError):
    """A file of the journal is damaged and could not be moved out of the way."""


class JournalLockedError(GHAPError):
    """Another process held the journal's lock for longer than the caller waits; the text names it."""


class InvalidEntryError(GHAPError, ValueError):
    """Not a GHAP entry, or not a value of one; the text names the field in one sentence."""
