"""The tool calls in a transcript of any agent that capture can read, in the form that trajectories record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capture.local.transcripts import discovery
from capture.local.transcripts.messages import Kind, Message, Role, ToolResult, ToolUse
from capture.local.transcripts.reader import Reader, TranscriptError
from memorycli.errors import CommandError
from memoryserver.common import clock, outcomes

_STRETCH = 4 << 20  # bytes read at a time


def calls_of(path: Path) -> list[dict[str, Any]]:
    """Return the finished calls of the transcript at `path`, by the reader that finds most in it; none where none does.

    Calls of one answer of the agent's are a batch, those between two messages of a person a turn. Calls of sub-agents
    that are recorded in the same file have an `agent_id`. Raises
    OSError, and CommandError where something that the file needs is missing here.
    """
    calls_by_reader: list[list[dict[str, Any]]] = []
    error: TranscriptError | None = None
    for reader in discovery.READERS:
        try:
            calls_by_reader.append(list(_calls(reader, path)))
        except TranscriptError as raised:
            error = raised
    calls = max(calls_by_reader, key=len, default=[])
    if error is not None and not calls:
        raise CommandError(f"{path} {error}")
    return calls


def _calls(reader: Reader, path: Path) -> Iterator[dict[str, Any]]:
    pending: dict[str, dict[str, Any]] = {}
    turn = batch = 0
    compactions = Counter[str]()  # by agent
    answering: dict[str, int] = {}  # agent -> the batch to which none of its results has come yet
    for message in _messages(reader, path):
        if message.role == Role.PERSON and message.kind == Kind.WORDS:
            turn += 1
        if message.kind == Kind.COMPACTION:
            compactions[message.agent] += 1
        if message.uses:
            if message.agent not in answering:
                batch += 1
                answering[message.agent] = batch
            for use in message.uses:
                pending[use.id] = {
                    "tool_name": use.name,
                    "tool_input": _input_of(use),
                    "tool_use_id": use.id,
                    "batch_id": f"answer {answering[message.agent]}",
                    "turn_id": f"turn {turn}",
                    "agent_id": message.agent,
                    "compactions": compactions[message.agent],
                    "cwd": message.cwd,
                }
        for result in message.results:
            answering.pop(message.agent, None)
            call = pending.pop(result.use.id, None) if result.use else None
            if call is not None:
                yield call | _outcome_of(result) | _time_of(message)


def _messages(reader: Reader, path: Path) -> Iterator[Message]:
    """Yield each message once, also where a history is written down again."""
    offset, memory, seen = 0, dict[str, Any](), set[str]()
    with reader.open(path) as file:
        while True:
            reading = reader.read(file, offset, memory, limit=_STRETCH, at_rest=True)
            for message in reading.messages:
                if not message.uuid or message.uuid not in seen:
                    seen.add(message.uuid)
                    yield message
            if reading.end <= offset:
                return
            offset, memory = reading.end, reading.memory


def _input_of(use: ToolUse) -> object:
    """Return the whole input, or what the reader kept of it."""
    return {"command": use.command, "paths": list(use.files)} if use.tool_input is None else use.tool_input


def _outcome_of(result: ToolResult) -> dict[str, Any]:
    if result.reported == outcomes.ERROR:
        return {"success": False, "error": result.text}  # of a remote service's tool it may be the provider's
    if result.reported in (outcomes.OK, outcomes.NO_MATCH):
        return {"outcome": result.reported, "result": result.text}
    return {"outcome": result.reported, "error": result.text or result.comment}


def _time_of(message: Message) -> dict[str, Any]:
    try:
        return {"timestamp": clock.to_text(clock.from_text(message.time))}
    except ValueError:
        return {}  # then the calls count as evenly spaced
