"""The session of an agent that this process works for, so that what it stores and asks can be joined with its calls."""

from __future__ import annotations

from memoryserver.client import places

MAX = 180  # characters; with what is put before it, it still fits a scope id of the log


def current() -> str:
    """Return the id of the agent's session that runs this command, "" if it is not known.

    It is as the agent gives it to its commands, without what cannot be sent in a header.
    """
    return sendable(places.agents_session())


def sendable(session_id: object) -> str:
    """Return `session_id` if it can be sent in a header, "" if not."""
    is_plain = isinstance(session_id, str) and len(session_id) <= MAX and session_id.isascii()
    return str(session_id) if is_plain and str(session_id).isprintable() and str(session_id).strip() else ""
