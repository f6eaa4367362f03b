"""Reads in the agent's transcript what its hooks do not say: which calls one message made, and which were refused.

A hook's event names its call but not the message. A call that the agent's program refuses before it runs, such as an
edit of a file that was not read, has no event at all: it is found when the next call is recorded.
"""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TAIL_BYTES = 1 << 18
_REFUSED_BYTES = 1 << 16
_MAX_ID = 200
_MAX_REFUSED = 20
_REFUSAL = "<tool_use_error>"


def batch_of(transcript: str, tool_use_id: str, *, agent_id: str = "") -> str:
    """Return the id of the message that made the call, "" if the last 256 KiB of the transcript do not have it.

    For a sub-agent, whose events name its parent's transcript, its own is read. Never raises: without an
    id a call is a decision of its own.
    """
    if not tool_use_id.isascii() or not transcript:
        return ""
    lines = _tail(_transcript_of(transcript, agent_id), _TAIL_BYTES).split(b"\n")
    use = _use_of(lines, tool_use_id)
    return str(use["message_id"])[:_MAX_ID] if use else ""


def refused_before(transcript: str, tool_use_id: str, *, agent_id: str = "") -> list[dict[str, Any]]:
    """Return the calls that were refused directly before the call `tool_use_id`, oldest first, at most twenty.

    Each has `tool_name`, `tool_input`, `tool_use_id`, `batch_id` and `error`, as `calls.parse` reads them. Directly
    before means: since the last result of another kind and since the last words of a person. Read are the last
    64 KiB of the transcript. Never raises.
    """
    data = _tail(_transcript_of(transcript, agent_id), _REFUSED_BYTES) if transcript else b""
    if _REFUSAL.encode() not in data:
        return []
    lines = data.split(b"\n")
    refused = []
    for call, error in _latest_refusals(lines, tool_use_id):
        use = _use_of(lines, call)
        if use:
            known = {"tool_name": use["name"], "tool_input": use["input"], "tool_use_id": call}
            refused.append(known | {"batch_id": str(use["message_id"])[:_MAX_ID], "success": False, "error": error})
    return refused[::-1]


def _transcript_of(transcript: str, agent_id: str) -> str:
    if not agent_id:
        return transcript
    return os.path.join(transcript.removesuffix(".jsonl"), "subagents", f"agent-{agent_id}.jsonl")


def _latest_refusals(lines: list[bytes], current: str) -> Iterator[tuple[str, str]]:
    """Yield id and error of each refused call, newest first, up to the first line that ends the stretch."""
    number = 0
    for line in reversed(lines):
        if b'"user"' not in line:
            continue  # the agent's own lines, and those of its program
        for call, error in reversed(_results(line)):
            if call == current:
                continue
            if _REFUSAL not in error or number == _MAX_REFUSED:
                return
            number += 1
            yield call, error


def _results(line: bytes) -> list[tuple[str, str]]:
    """Return id and text of each result in `line`, without a text for a success; one without an id for other words."""
    try:
        record = json.loads(line)
        if record["type"] != "user" or record.get("isMeta") is True:
            return []
        content = record["message"]["content"]
        blocks = content if isinstance(content, list) else [{}]
        return [
            (str(block.get("tool_use_id") or ""), _text_of(block.get("content")) if block.get("is_error") else "")
            for block in blocks
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []


def _text_of(content: object) -> str:
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(part.get("text") or "") for part in parts)


def _use_of(lines: list[bytes], tool_use_id: str) -> dict[str, Any] | None:
    """Return `message_id`, `name` and `input` of the call; None where these lines do not have it."""
    mark = json.dumps(tool_use_id).encode()
    for line in reversed(lines):
        if mark not in line:
            continue
        try:
            message = json.loads(line)["message"]
            for block in message["content"]:
                if block.get("type") == "tool_use" and block.get("id") == tool_use_id:
                    return {"message_id": message["id"], "name": block.get("name"), "input": block.get("input")}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return None


def _tail(path: str, size: int) -> bytes:
    try:
        # Opened without waiting, and only then looked at: a named pipe would block the hook forever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b""
        os.lseek(descriptor, max(0, status.st_size - size), os.SEEK_SET)
        return os.read(descriptor, size)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
