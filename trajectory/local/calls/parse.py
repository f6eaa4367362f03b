"""A tool call as an agent or a script reports it, read once into a ToolCall.

Two forms are read: the plain one

    {"tool_name": ..., "tool_input": {...}, "success": true, "error": ..., "result": ..., "outcome": ..., "status": ...,
     "session_id": ..., "agent_id": ..., "tool_use_id": ..., "batch_id": ..., "turn_id": ..., "timestamp": ...,
     "duration_ms": ..., "cwd": ..., "compactions": ..., "tokens_used": ..., "cost_used": ...}

of which only `tool_name` is needed, and the agent's hook events PostToolUse and PostToolUseFailure. In the plain form
`outcome` (see `trajectory.local.outcome`) and `status` (a command's exit status) are for callers that know them;
without them they are read from the text of the error.
"""

from __future__ import annotations

import json

from memoryserver.common import clock, hook_event, shell_result, text
from memoryserver.common.hook_event import identifier as _id
from trajectory.local import outcome as outcomes
from trajectory.local.calls import summary

SUCCESS_EVENT = hook_event.TOOL_DONE
FAILURE_EVENT = hook_event.TOOL_FAILED
EVENTS = (SUCCESS_EVENT, FAILURE_EVENT)
_MAX_ERROR = 400_000
_MAX_TYPE = 80
_INTERRUPTED = "[Request interrupted by user for tool use]"


class CallError(ValueError):
    """The value is not a tool call; the text is one line that says what is wrong with it."""


class ToolCall:
    """One finished tool call, read once for all that look at it.

    `agent_type` is what a sub-agent is for, such as Explore. `command` is what a shell ran, "" for other tools.
    `status` is its exit status, None where it is not known. `error` is the text of a failure, None for a success;
    `outcome` is one of `trajectory.local.outcome`. `result` is what the tool answered and `answer` the same or, of a
    failure, its error as it was reported.
    """

    __slots__ = (
        *("agent_id", "agent_type", "answer", "arguments", "batch_id", "command", "compactions", "cost_used", "cwd"),
        *(
            "duration_ms",
            "error",
            "outcome",
            "result",
            "session_id",
            "status",
            "timestamp",
            "tokens_used",
            "tool_name",
            "tool_use_id",
        ),
        *("transcript", "turn"),
    )

    def __init__(self, report: dict[str, object]) -> None:
        name = report.get("tool_name")
        if not isinstance(name, str) or not name.strip():
            raise CallError('a tool call needs its tool_name, a string such as "Bash"')
        self.tool_name: str = name
        self.arguments = report.get("tool_input")
        self.command = summary.command_of(name, self.arguments)
        self.session_id, self.agent_id = _id(report.get("session_id")), _id(report.get("agent_id"))
        self.agent_type = text.one_line(text.printable(_string(report.get("agent_type"))[:_MAX_TYPE]))
        self.tool_use_id, self.batch_id = _id(report.get("tool_use_id")), _id(report.get("batch_id"))
        self.turn = _id(report.get("turn_id") or report.get("prompt_id"))
        self.cwd, self.transcript = _string(report.get("cwd")), _string(report.get("transcript_path"))
        self.compactions = _whole(report.get("compactions")) or 0
        self.duration_ms = _whole(report.get("duration_ms"))
        self.tokens_used = _whole(report.get("tokens_used"))
        self.cost_used = _number(report.get("cost_used"))
        self.timestamp = _timestamp(report)
        self.answer: object = None
        self.result: object = None
        self.error: str | None = None
        self.status: int | None = None
        self.outcome = ""
        self._read_result(report)
        self.outcome = self._final_outcome(report)

    @property
    def printed(self) -> str:
        """Return what the call printed, clean; at most a million characters."""
        return shell_result.output(self.answer)

    @property
    def failure(self) -> str:
        """Return the text of a failure with the exit status as its first line where it is known; "" for a success."""
        error = self.error or ""
        if self.error is None or self.status is None or outcomes.exit_status(error) is not None:
            return error
        return f"Exit code {self.status}\n{error}"

    def _read_result(self, report: dict[str, object]) -> None:
        event = report.get("hook_event_name")
        if event is None:
            self._read_plain(report)
        elif event == FAILURE_EVENT:
            self.answer = report.get("error")
            self.error = _text_in(self.answer)
            self.status = shell_result.exit_status(report)
        elif event == SUCCESS_EVENT:
            response = report.get("tool_response")
            is_command = summary.kind_of(self.tool_name) == summary.COMMAND
            self.status = shell_result.exit_status(report) if is_command else None
            has_head = isinstance(response, str) and self.status is not None
            self.answer = self.result = shell_result.without_head(str(response)) if has_head else response
            self._read_failure_within(response)
        else:
            raise CallError(f"{_shown(event)} is not an event of a finished tool call; {' and '.join(EVENTS)} are")

    def _read_failure_within(self, response: object) -> None:
        """Read an answer that came by the event of success, by which MCP servers and Codex report failures too."""
        if isinstance(response, str) and self.status:
            self.error = shell_result.after_head(response[:_MAX_ERROR])
        elif isinstance(response, dict) and (response.get("is_error") is True or response.get("isError") is True):
            self.error = _text_in(response)
        elif isinstance(response, dict) and response.get("interrupted") is True:
            self.error, self.outcome = _INTERRUPTED, outcomes.CANCELLED
        else:
            self.error = self._refusal()

    def _refusal(self) -> str | None:
        """Return the answer of a tool that edits, if that begins with the word error; else None."""
        if summary.kind_of(self.tool_name, self.arguments) != summary.WRITE:
            return None
        answer = _text_in(self.result) if isinstance(self.result, str | list) else ""
        return answer if answer.lstrip()[:6].lower() in ("error:", "error\n") else None

    def _read_plain(self, report: dict[str, object]) -> None:
        self.result = report.get("result")
        error, self.status, self.outcome = report.get("error"), _status(report), _outcome(report)
        succeeded: object = error in (None, "") and not self.status
        if self.outcome:
            succeeded = self.outcome in outcomes.SUCCESSES
        success = report.get("success", succeeded)
        if not isinstance(success, bool):
            raise CallError(f"success must be true or false, not {_shown(success)}")
        if self.outcome and success != succeeded:
            raise CallError(f"success is {_shown(success)}, which the outcome {_shown(self.outcome)} contradicts")
        self.error = None if success else _text_in(error) or _text_in(self.result)
        if success and not self.outcome and "success" not in report:
            self.error = self._refusal()
        self.answer = self.result if success else self.error

    def _final_outcome(self, report: dict[str, object]) -> str:
        if self.error is None:
            return self.outcome or outcomes.OK
        if report.get("is_interrupt") is True:
            return outcomes.CANCELLED
        if summary.is_own_tool(self.tool_name, self.command) and not self.outcome:
            return outcomes.PROVIDER  # what the memory cannot do says nothing about the agent's work
        network = summary.is_network_tool(self.tool_name)
        return self.outcome or outcomes.classify(self.error, command=self.command, network=network, status=self.status)


def parse(data: bytes) -> dict[str, object]:
    """Return the JSON object in `data` (UTF-8; a BOM and invalid bytes are accepted); raises CallError."""
    try:
        return hook_event.json_object(data, "a tool call")
    except hook_event.EventError as error:
        raise CallError(str(error)) from None


def read(report: dict[str, object]) -> ToolCall:
    """Return the call in `report`, which has either form.

    Raises CallError where it names no tool, is nested too deeply or contradicts its own form.
    """
    try:
        return ToolCall(report)
    except RecursionError:
        raise CallError("the call's JSON is nested too deeply") from None


def _text_in(value: object) -> str:
    """Return the text of an error or of a tool's answer, whichever of the known shapes it has."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text_in, value)))
    if isinstance(value, dict):
        texts = (_text_in(value.get(key)) for key in ("text", "error", "message", "stderr", "stdout", "content"))
        return "\n".join(filter(None, texts)) or json.dumps(value)
    return "" if value is None else str(value)


def _status(report: dict[str, object]) -> int | None:
    status = report.get("status")
    if status is not None and (not isinstance(status, int) or isinstance(status, bool)):
        raise CallError(f"status must be a whole number, the exit status of the command, not {_shown(status)}")
    return status


def _outcome(report: dict[str, object]) -> str:
    outcome = report.get("outcome")
    if outcome is not None and (not isinstance(outcome, str) or outcome not in outcomes.OUTCOMES):
        raise CallError(f"outcome must be one of {', '.join(sorted(outcomes.OUTCOMES))}, not {_shown(outcome)}")
    return outcome or ""


def _timestamp(report: dict[str, object]) -> str:
    value = report.get("timestamp")
    if value is None or report.get("hook_event_name") is not None:
        return clock.now_as_text()
    try:
        return clock.to_text(clock.from_text(_string(value)))
    except (ValueError, OverflowError):
        raise CallError(
            f"timestamp must be ISO 8601 with a zone, such as 2026-01-15T14:32:00Z, not {_shown(value)}"
        ) from None


def _whole(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 10**12 else None  # type: ignore[operator, arg-type]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _shown(value: object) -> str:
    return text.shorten(text.one_line(text.printable(json.dumps(value))), 60)
