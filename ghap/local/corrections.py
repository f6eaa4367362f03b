"""Resolving as an agent means it: the active entry or, where none is active, the one that was resolved before."""

from __future__ import annotations

from ghap.local.entry import GHAPEntry, OutcomeStatus
from ghap.local.errors import NoActiveGHAPError, ResolvedBeforeError
from ghap.local.journal import Journal
from ghap.local.resolution import Learned
from memoryserver.common import text

_MAX_GOAL = 60  # characters


def resolve(
    journal: Journal,
    status: OutcomeStatus,
    result: str,
    learned: Learned,
    *,
    entry_id: str | None = None,
    session: str = "",
) -> tuple[GHAPEntry, str]:
    """Resolve the active entry, or correct one that was resolved; return it and a sentence that says what was done.

    With `entry_id` it is the entry of that id, whoever resolved it. Without an active entry it is the one resolved
    last, if its check resolved it, or if it came out as `status` and there is something that it taught to be added;
    not one of another agent's session than `session`. Raises ResolvedBeforeError for one that the agent itself
    resolved otherwise, NoActiveGHAPError, NoSuchEntryError.
    """
    active = journal.get_current()
    if active is not None and entry_id in (None, active.id):
        entry = journal.resolve_ghap(status, result, **learned)
        return entry, f"Resolved {entry.id} as {status.value}."
    before = _named(journal, entry_id) if entry_id else _last(journal, session, status, has_words=bool(learned))
    entry = journal.correct_ghap(status, result, **learned, entry_id=before.id if before else entry_id)
    was = before.outcome if before else None
    if was is None or was.status is status:
        return entry, f"{entry.id} was resolved as {status.value} before; what you say is added."
    by = "its check had" if was.auto_captured else "you had"
    return entry, f"{entry.id} is now {status.value}; {by} called it {was.status.value}, which its history keeps."


def _named(journal: Journal, entry_id: str) -> GHAPEntry | None:
    return next((entry for entry in journal.get_all_entries() if entry.id == entry_id), None)


def _last(journal: Journal, session: str, status: OutcomeStatus, *, has_words: bool) -> GHAPEntry:
    resolved = journal.get_session_entries()
    last = resolved[-1] if resolved else None
    if last is None or last.outcome is None or (session and last.agent_session not in (None, session)):
        raise NoActiveGHAPError("no GHAP entry is active; begin one with create_ghap")
    if last.outcome.auto_captured or (last.outcome.status is status and has_words):
        return last
    goal = text.shorten(text.one_line(text.printable(last.goal)), _MAX_GOAL)
    raise ResolvedBeforeError(
        f"no GHAP entry is active; the last one, {last.id} ({goal}), was resolved as {last.outcome.status.value}",
        last.id,
    )
