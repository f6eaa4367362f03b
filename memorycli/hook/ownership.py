"""The session that owns the active entry where several agents work in one project: it began or adopted the entry.

It owns the entry while it lives, as far as can be seen: it has not ended, and it recorded a call not long ago.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ghap.local import GHAPEntry
    from ghap.local.active import Active, Notes
    from trajectory.local.calls.parse import ToolCall

LIVE_SECONDS = 300.0  # a session without a call for so long counts as gone: agents are killed without notice
_BEGINS = ("ghap start", "start_ghap")
_ADOPTS = ("ghap adopt", "adopt_orphan")
_MAX_COMMAND = 4000  # characters


def claim(notes: Notes, call: ToolCall) -> bool:
    """Make the agent of `call` the owner of the entry of `notes` if the call began or adopted it; return whether."""
    made = f"{call.tool_name} {call.command}"[:_MAX_COMMAND]
    words = _ADOPTS if notes.agent_session else (*_BEGINS, *_ADOPTS)
    if not any(word in made for word in words):
        return False
    if call.error is not None or call.status not in (None, 0):
        return False
    notes.agent_session, notes.agent_id = call.session_id, call.agent_id
    return True


def is_anothers(entry: Active, notes: Notes, session_id: str) -> bool:
    """Return whether another session than `session_id` is at work on the active entry."""
    return _is_at_work(notes.agent_session or entry.agent_session, session_id)


def owner_of(journal: Path, entry: GHAPEntry) -> str:
    """Return the session that began or adopted the active entry, as the hooks or the entry say; "" if neither does."""
    from ghap.local import active

    return active.agent_session(journal, entry.id) or entry.agent_session or ""


def at_work(journal: Path, entry: GHAPEntry, session_id: str) -> str:
    """Return the session other than `session_id` that is at work on the active entry, "" if there is none.

    It began or adopted the entry, has not ended, and made a call not long ago.
    """
    owner = owner_of(journal, entry)
    return owner if _is_at_work(owner, session_id) else ""


def is_left(journal: Path, entry: GHAPEntry, session_id: str) -> bool:
    """Return whether an orphan was left: it is not of `session_id`, and no other session is at work on it."""
    return not (session_id and owner_of(journal, entry) == session_id) and not at_work(journal, entry, session_id)


def _is_at_work(owner: str, session_id: str) -> bool:
    """Return whether `owner` is another session than `session_id`, has not ended, and made a call not long ago."""
    if owner in ("", session_id):
        return False
    from memoryserver.client.ended_sessions import EndedSessions
    from trajectory.local import store

    used_at = store.trajectory(owner).used_at()
    is_recent = abs(time.time() - used_at) < LIVE_SECONDS
    return is_recent and (EndedSessions().end_of(owner) or 0) / 1e9 <= used_at


def take(journal: Path, entry: GHAPEntry, session_id: str) -> None:
    """Note that the session has adopted the entry. Raises OSError."""
    from ghap.local import active

    found = active.load(journal)
    if found is not None and found.id == entry.id:
        notes = active.notes(journal, found)
        notes.agent_session, notes.agent_id = session_id, ""
        active.save_notes(journal, notes)


def refusal(entry: GHAPEntry, owner: str, adopt: str) -> str:
    """Return why an act on the entry of `owner` was refused; `adopt` is the call that takes the entry over."""
    from memoryserver.common import text

    goal = text.shorten(text.one_line(text.printable(entry.goal)), 60)
    return (
        f"{entry.id} ({goal}) is the entry of another session that is at work now, {text.printable(owner)[:40]}, so "
        f"nothing was changed. Go on without an entry until it is decided; if this one is yours or you are to "
        f"go on with it, first: {adopt}"
    )
