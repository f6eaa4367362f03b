"""When the session of a transcript ended, as an agent's hook or the silence tells."""

from __future__ import annotations

from pathlib import Path

from memoryserver.client.ended_sessions import EndedSessions
from memoryserver.common.clock import SESSION_SILENCE

SILENCE = SESSION_SILENCE * 1_000_000_000  # nanoseconds

CLOSING_TIME = 60 * 1_000_000_000
"""Nanoseconds after the end of a session in which agents still write to its transcript."""


def end_of(transcript: Path, written: int, ended: EndedSessions, now: int) -> int | None:
    """Return when the session of `transcript` ended, None while it runs; all times in nanoseconds of the epoch.

    `written` is when the transcript was last written to. A session that goes on writes to it, whatever a hook said
    before; a silent one ended when it was last written to. Sub-agents end with the session that started them.
    """
    of_parent = transcript.parent.parent.name if transcript.parent.name == "subagents" else ""
    for session in filter(None, (transcript.stem, of_parent)):
        end = ended.end_of(session)
        if end is not None and written <= end + CLOSING_TIME:
            return end
    return written if now - written >= SILENCE else None


def may_have_ended(changed: int, ended: EndedSessions, now: int) -> bool:
    """Return whether the session of a transcript whose state was saved at `changed` may have ended since it ran.

    Needs nothing of the transcript or its state.
    """
    return ended.latest() + CLOSING_TIME >= changed or now - changed >= SILENCE
