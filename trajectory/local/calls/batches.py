"""Finds the calls that were decided on together: those in one message of the agent's transcript.

A hook's event names its call but not the message. Only failures are looked up, for only failures are counted.
"""

from __future__ import annotations

import json
import os
import stat

_TAIL_BYTES = 1 << 18
_MAX_ID = 200


def batch_of(transcript: str, tool_use_id: str, *, agent_id: str = "") -> str:
    """Return the id of the message that made the call, "" if the last 256 KiB of the transcript do not have it.

    For a sub-agent, whose events name its parent's transcript, its own is read. Never raises: without an
    id a call is a decision of its own.
    """
    if not tool_use_id.isascii() or not transcript:
        return ""
    if agent_id:
        transcript = os.path.join(transcript.removesuffix(".jsonl"), "subagents", f"agent-{agent_id}.jsonl")
    mark = json.dumps(tool_use_id).encode()
    for line in reversed(_tail(transcript).split(b"\n")):
        if mark in line:
            message_id = _message_with(line, tool_use_id)
            if message_id:
                return message_id[:_MAX_ID]
    return ""


def _message_with(line: bytes, tool_use_id: str) -> str:
    """Return the id of the message in `line`, if the call was made in it; "" for the call's result."""
    try:
        message = json.loads(line)["message"]
        uses = (block.get("id") for block in message["content"] if block.get("type") == "tool_use")
        return str(message["id"]) if tool_use_id in uses else ""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ""


def _tail(path: str) -> bytes:
    try:
        # Opened without waiting, and only then looked at: a named pipe would hold the hook up for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b""
        os.lseek(descriptor, max(0, status.st_size - _TAIL_BYTES), os.SEEK_SET)
        return os.read(descriptor, _TAIL_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
