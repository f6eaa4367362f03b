"""Whose the active entry is, where several agents work in one project: the session's that began or adopted it.

That holds as long as the session lives, for all that one can see: it has not ended, and recorded a call not long ago.
"""

from __future__ import annotations

import time

from memoryserver.common import hook_event, shell_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ghap.local.active import Notes
    from memoryserver.common.hook_event import HookEvent

LIVE_SECONDS = 300.0  # without a call for so long, a session is taken for gone: agents are killed without a word
_BEGINS = ("ghap start", "start_ghap")
_ADOPTS = ("ghap adopt", "adopt_orphan")
_MAX_COMMAND = 4000  # characters


def claim(notes: Notes, event: HookEvent) -> bool:
    """Make the entry of `notes` that of the call's agent, if the call began it or adopted it; whether it did."""
    given = event.raw.get("tool_input")
    made = f"{event.raw.get('tool_name')} {given.get('command') if isinstance(given, dict) else ''}"[:_MAX_COMMAND]
    words = _ADOPTS if notes.agent_session else (*_BEGINS, *_ADOPTS)
    if not any(word in made for word in words):
        return False
    if event.name != hook_event.TOOL_DONE or shell_result.exit_status(event.raw) not in (None, 0):
        return False
    notes.agent_session, notes.agent_id = event.session_id, event.agent_id
    return True


def is_anothers(notes: Notes, session_id: str) -> bool:
    """Whether another session than `session_id` is at work on the entry."""
    if notes.agent_session in ("", session_id):
        return False
    from trajectory.local import store

    return abs(time.time() - store.trajectory(notes.agent_session).used_at()) < LIVE_SECONDS
