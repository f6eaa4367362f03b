"""The session that owns the active entry where several agents work in one project: it began or adopted the entry.

It owns the entry while it lives, as far as can be seen: it has not ended, and it recorded a call not long ago.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
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
