"""When the session of a transcript ended, as an agent's hook or the silence tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memoryserver.client.ended_sessions import EndedSessions
from memoryserver.common.clock import SESSION_SILENCE

SILENCE = SESSION_SILENCE * 1_000_000_000  # nanoseconds

_UUID = 36  # characters of a session's id at the end of Codex's `rollout-TIME-UUID`
CLOSING_TIME = 60 * 1_000_000_000
"""Nanoseconds after the end of a session in which agents still write to its transcript."""


def end_of(transcript: Path, written: int, ended: EndedSessions, now: int) -> int | None:
    """Return when the session of `transcript` ended, None while it runs; all times in nanoseconds of the epoch.

    `written` is when the transcript was last written to. A session that goes on writes to it, whatever a hook said
    before; a silent one ended when it was last written to. Sub-agents end with the session that started them.
    """
    for session in _sessions(transcript):
        end = ended.end_of(session)
        if end is not None and written <= end + CLOSING_TIME:
            return end
    return written if now - written >= SILENCE else None


def _sessions(transcript: Path) -> Iterator[str]:
    """Yield the session of `transcript`, as its agent names the file, and that of which it is a sub-agent's."""
    yield transcript.stem[-_UUID:] if transcript.stem.startswith("rollout-") else transcript.stem
    if transcript.parent.name == "subagents":
        yield transcript.parent.parent.name


def may_have_ended(changed: int, ended: EndedSessions, now: int) -> bool:
    """Return whether the session of a transcript whose state was saved at `changed` may have ended since it ran.

    Needs nothing of the transcript or its state.
    """
    return ended.latest() + CLOSING_TIME >= changed or now - changed >= SILENCE
