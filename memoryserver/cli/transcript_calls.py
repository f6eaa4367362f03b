"""The tool calls in a transcript of any agent that capture can read, in the form in which trajectories take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from capture.local.transcripts import discovery
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult
from capture.local.transcripts.reader import Reader
from memoryserver.local import clock

_STRETCH = 4 << 20  # bytes read at a time
_MAX_LINE = 64 << 20
_REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
_NOT_RUN = "[Request interrupted by user for tool use]"


def calls_of(path: Path) -> list[dict[str, Any]]:
    """The finished calls of the transcript at `path`, by the reader that finds most in it; none where none does.

    Calls of one answer of the agent's are a batch, those between two messages of a person a turn. Raises OSError.
    """
    found = [list(_calls(reader, path)) for reader in discovery.READERS]
    return max(found, key=len, default=[])


def _calls(reader: Reader, path: Path) -> Iterator[dict[str, Any]]:
    pending: dict[str, dict[str, Any]] = {}
    turn = batch = 0
    answered = True
    with path.open("rb") as file:
        for message in _messages(reader, file):
            if message.role == Role.PERSON and message.kind == Kind.WORDS:
                turn += 1
            if message.uses:
                batch += answered
                answered = False
                inputs = _inputs(file, message)
                for use in message.uses:
                    pending[use.id] = {
                        "tool_name": use.name,
                        "tool_input": inputs.get(use.id, {"command": use.command, "paths": list(use.files)}),
                        "tool_use_id": use.id,
                        "batch_id": f"answer {batch}",
                        "turn_id": f"turn {turn}",
                        "agent_id": message.agent,
                        "cwd": message.cwd,
                    }
            for result in message.results:
                answered = True
                call = pending.pop(result.use.id, None) if result.use else None
                if call is not None:
                    yield call | _came_out(result) | _time(message)


def _messages(reader: Reader, file: BinaryIO) -> Iterator[Message]:
    offset, memory = 0, dict[str, Any]()
    while True:
        reading = reader.read(file, offset, memory, limit=_STRETCH)
        yield from reading.messages
        if reading.end <= offset:
            return
        offset, memory = reading.end, reading.memory


def _inputs(file: BinaryIO, message: Message) -> dict[str, Any]:
    """The arguments of each call as they stand in the message's own line, whichever word the agent has for them."""
    if message.end - message.start > _MAX_LINE:
        return {}
    file.seek(message.start)
    try:
        record = json.loads(file.read(message.end - message.start))
    except (ValueError, RecursionError):
        return {}
    wanted, found = {use.id for use in message.uses}, dict[str, Any]()
    waiting = [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            name = next((value[key] for key in ("id", "call_id", "callID") if isinstance(value.get(key), str)), "")
            given = next((value[key] for key in ("input", "arguments", "args") if key in value), None)
            if name in wanted and given is not None:
                found[name] = _decoded(given)
        waiting += list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return found


def _decoded(given: object) -> object:
    """Arguments that are JSON within a string, as Codex writes them, taken out of it."""
    if isinstance(given, str):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _came_out(result: ToolResult) -> dict[str, Any]:
    if result.outcome == Outcome.OK:
        return {"success": True, "result": result.text}
    told = {Outcome.REJECTED: _REJECTED, Outcome.NOT_RUN: result.text or _NOT_RUN}
    return {"success": False, "error": told.get(result.outcome, result.text)}


def _time(message: Message) -> dict[str, Any]:
    try:
        return {"timestamp": clock.to_text(clock.from_text(message.time))}
    except ValueError:
        return {}  # then the calls count as evenly spaced
