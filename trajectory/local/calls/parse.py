"""A tool call as an agent or a script reports it, made into a row of a trajectory.

Two forms are read: the plain one

    {"tool_name": ..., "tool_input": {...}, "success": true, "error": ..., "result": ..., "session_id": ...,
     "agent_id": ..., "tool_use_id": ..., "batch_id": ..., "turn_id": ..., "timestamp": ..., "duration_ms": ...,
     "cwd": ..., "tokens_used": ..., "cost_used": ...}

of which only `tool_name` is needed, and the agent's hook events PostToolUse and PostToolUseFailure. Works
on plain dicts: this runs at every tool call, and dataclasses would double the cost of it. `records` turns a
row into a ToolCallRecord when an observer is due.
"""

from __future__ import annotations

import json

from memoryserver.common import clock, hook_event, shell_result, text
from memoryserver.common.hook_event import identifier as _id
from trajectory.local import outcome
from trajectory.local.calls import facts as reading
from trajectory.local.calls import hashing, normalise, summary

SUCCESS_EVENT = hook_event.TOOL_DONE
FAILURE_EVENT = hook_event.TOOL_FAILED
EVENTS = (SUCCESS_EVENT, FAILURE_EVENT)
_MAX_NAME = 100


class CallError(ValueError):
    """What was given is no tool call; the text is one line saying what is wrong with it."""


def parse(data: bytes) -> dict[str, object]:
    """The JSON object in `data` (UTF-8, a BOM and invalid bytes borne with); raises CallError."""
    try:
        return hook_event.json_object(data, "a tool call")
    except hook_event.EventError as error:
        raise CallError(str(error)) from None


def session_of(given: dict[str, object]) -> tuple[str, str]:
    """The session and the (sub-)agent that made the call, each "" where it is not named."""
    return _id(given.get("session_id")), _id(given.get("agent_id"))


def row_of(given: dict[str, object], *, root: str = "") -> dict[str, object]:
    """The row for a call in either form; `root` is the project's folder, which paths are relative to.

    Raises CallError where the call names no tool or contradicts its own form.
    """
    try:
        return _row_of(given, root)
    except RecursionError:
        raise CallError("the call's JSON is nested too deeply") from None


def _row_of(given: dict[str, object], root: str) -> dict[str, object]:
    name = given.get("tool_name")
    if not isinstance(name, str) or not name.strip():
        raise CallError('a tool call needs its tool_name, a string such as "Bash"')
    arguments = given.get("tool_input")
    error, result = _read_result(given, name)
    command = summary.command_of(name, arguments)
    came_out = outcome.OK
    if error is not None:
        interrupted = given.get("is_interrupt") is True
        came_out = outcome.CANCELLED if interrupted else _classify(error, command, name)
    failed = came_out not in outcome.SUCCESSES
    paths = summary.paths_of(arguments, _string(given.get("cwd")), root)
    result_hash, result_size = hashing.of_result(result if error is None else error)
    message = (summary.telling_lines(error or "") or "failed without a message") if failed else None
    facts = reading.facts(name, arguments, result, error=error, came_out=came_out, paths=paths)
    return facts | {
        "tool_name": text.shorten(text.one_line(text.printable(name)), _MAX_NAME),
        "params_summary": summary.summarise(arguments, paths),
        "success": not failed,
        "error_message": message,
        "error_key": normalise.error_key(message or "") if came_out == outcome.ERROR else "",
        "timestamp": _timestamp(given),
        "outcome": came_out,
        "kind": summary.kind_of(name, arguments),
        "paths": paths,
        "args_hash": hashing.of_arguments(arguments, is_command=bool(command)),
        "result_hash": result_hash,
        "result_size": result_size,
        "tool_use_id": _id(given.get("tool_use_id")),
        "batch_id": _id(given.get("batch_id")) or _batch_of(given),
        "turn": _id(given.get("turn_id") or given.get("prompt_id")),
        "agent_id": _id(given.get("agent_id")),
        "duration_ms": _duration(given.get("duration_ms")),
        "tokens_used": _duration(given.get("tokens_used")),
        "cost_used": _cost(given.get("cost_used")),
    }


def _read_result(given: dict[str, object], name: str) -> tuple[str | None, object]:
    """The error text, None for a success, and the result."""
    event = given.get("hook_event_name")
    if event == FAILURE_EVENT:
        return _text_in(given.get("error")), None
    if event == SUCCESS_EVENT:
        response = given.get("tool_response")
        return _failure_within(response, name), response
    if event is not None:
        raise CallError(f"{_shown(event)} is no event of a finished tool call; {' and '.join(EVENTS)} are")
    result = given.get("result")
    error = given.get("error")
    success = given.get("success", error in (None, ""))
    if not isinstance(success, bool):
        raise CallError(f"success must be true or false, not {_shown(success)}")
    return (None if success else _text_in(error) or _text_in(result)), result


def _failure_within(response: object, name: str) -> str | None:
    """The error in an answer that came by the event of success, as MCP servers and Codex report failures."""
    if isinstance(response, dict):
        if response.get("is_error") is True or response.get("isError") is True:
            return _text_in(response)
        if response.get("interrupted") is True:
            return "[Request interrupted by user for tool use]"
    if isinstance(response, str) and summary.kind_of(name) == summary.COMMAND:
        status = shell_result.status_in(response)
        return f"Exit code {status}\n{shell_result.after_head(response[:400_000])}" if status else None
    return None


def _text_in(value: object) -> str:
    """The text of an error or of a tool's answer, whichever of the known shapes it has."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text_in, value)))
    if isinstance(value, dict):
        found = (_text_in(value.get(key)) for key in ("text", "error", "message", "stderr", "stdout", "content"))
        return "\n".join(filter(None, found)) or json.dumps(value)
    return "" if value is None else str(value)


def _classify(error: str, command: str, name: str) -> str:
    return outcome.classify(error, command=command, network=summary.is_network_tool(name))


def _batch_of(given: dict[str, object]) -> str:
    from trajectory.local.calls import batches

    transcript, tool_use_id = _string(given.get("transcript_path")), _id(given.get("tool_use_id"))
    return batches.batch_of(transcript, tool_use_id, agent_id=_id(given.get("agent_id")))


def _timestamp(given: dict[str, object]) -> str:
    value = given.get("timestamp")
    if value is None or given.get("hook_event_name") is not None:
        return clock.to_text(clock.now())
    try:
        return clock.to_text(clock.from_text(_string(value)))
    except (ValueError, OverflowError):
        raise CallError(
            f"timestamp must be ISO 8601 with a zone, such as 2026-01-15T14:32:00Z, not {_shown(value)}"
        ) from None


def _duration(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _cost(value: object) -> float | None:
    number = _number(value)
    return None if number is None else float(number)


def _number(value: object) -> int | float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return value if known and 0 <= value < 10**12 else None  # type: ignore[operator, return-value]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _shown(value: object) -> str:
    return text.shorten(text.one_line(text.printable(json.dumps(value))), 60)
