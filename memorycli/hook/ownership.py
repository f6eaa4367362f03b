"""The session that owns the active entry where several agents work in one project: it began or adopted the entry.

It owns the entry while it lives, as far as can be seen: it has not ended, and it recorded a call not long ago.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ghap.local import GHAPEntry
    from ghap.local.active import Notes
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


def is_anothers(notes: Notes, session_id: str) -> bool:
    """Return whether another session than `session_id` is at work on the entry."""
    if notes.agent_session in ("", session_id):
        return False
    from trajectory.local import store

    return abs(time.time() - store.trajectory(notes.agent_session).used_at()) < LIVE_SECONDS


def at_work(journal: Path, entry: GHAPEntry, session_id: str) -> str:
    """Return the session other than `session_id` that is at work on the active entry, "" if there is none.

    It began or adopted the entry, as the hooks or the entry itself say, has not ended, and made a call not long ago.
    """
    from ghap.local import active
    from memoryserver.client.ended_sessions import EndedSessions
    from trajectory.local import store

    owner = active.agent_session(journal, entry.id) or entry.agent_session or ""
    if owner in ("", session_id):
        return ""
    used_at = store.trajectory(owner).used_at()
    is_live = abs(time.time() - used_at) < LIVE_SECONDS and (EndedSessions().end_of(owner) or 0) / 1e9 <= used_at
    return owner if is_live else ""


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
