"""The exit status of an agent's shell command, if the event of the call states it, and the end of its output.

Claude Code reports a success by its event and a failure by another, whose text begins with `Exit code N`. Codex
reports both by one event; the status is in the output's head (`Process exited with code N`, `Exit code: N`) or in
its metadata. Commands in the background, interrupted or turned down have no status.
"""

from __future__ import annotations

import json
import re

from memoryserver.common import text
from memoryserver.common.hook_event import TOOL_DONE, TOOL_FAILED

_MAX_READ = 1 << 20
_HEAD = 600  # characters; the status precedes the output, which may hold anything
_STATUS = r"(?im)^(?:process exited with code|exit(?:ed with)? (?:code|status):?) +(\d{1,5})\b"
_OUTPUT_BEGINS = r"(?m)^Output:\s*$"


def exit_status(event: dict[str, object]) -> int | None:
    """Return the exit status of the command whose finished call the hook's `event` reports, None if unknown."""
    arguments = event.get("tool_input")
    if isinstance(arguments, dict) and arguments.get("run_in_background") is True:
        return None
    name = event.get("hook_event_name")
    if name == TOOL_FAILED:
        error = event.get("error")
        message = error if isinstance(error, str) and event.get("is_interrupt") is not True else ""
        return _first_line_status(message)
    return status_in(event.get("tool_response")) if name == TOOL_DONE else None


def output(answer: object) -> str:
    """Return what a command printed, clean, out of its answer or error; at most a million characters."""
    if isinstance(answer, dict):
        parts = [answer.get(key) for key in ("stdout", "stderr", "output", "text")]
        answer = "\n".join(part[:_MAX_READ] for part in parts if isinstance(part, str) and part)
    return text.printable(answer[-_MAX_READ:]) if isinstance(answer, str) else ""


def tail(printed: str, limit: int) -> str:
    """Return the last lines of `printed`, redacted, at most `limit` characters; whole lines where one fits."""
    from memoryserver.common.redaction import redact

    excerpt = redact(printed[-limit * 4 :]).text.strip()
    if len(excerpt) <= limit:
        return excerpt
    excerpt = excerpt[-(limit - 2) :]
    first, line_break, rest = excerpt.partition("\n")
    return "…\n" + (rest if line_break and len(first) < limit // 2 else excerpt)


def without_head(answer: str) -> str:
    """Return the output in an answer of Codex; any other answer as it is.

    The lines about the run name a chunk and the time, which differ where the outputs are the same.
    """
    return after_head(answer) if re.search(_OUTPUT_BEGINS, answer[:_HEAD]) else answer


def after_head(answer: str) -> str:
    """Return the output in an answer of Codex, which begins with lines about the run."""
    output_start = re.search(_OUTPUT_BEGINS, answer[:_HEAD])
    return answer[output_start.end() :].lstrip("\n") if output_start else answer.partition("\n")[2]


def status_in(response: object) -> int | None:
    """Return the exit status that the answer of a finished call states, None where it states none."""
    if isinstance(response, str) and response[:1] == "{":
        try:
            response = json.loads(response)
        except (ValueError, RecursionError):  # output that begins with a brace
            return None
    if isinstance(response, str):
        head = response[:_HEAD]
        output_start = re.search(_OUTPUT_BEGINS, head)
        match = re.search(_STATUS, head[: output_start.start()] if output_start else head.partition("\n")[0])
        return int(match[1]) if match else None
    return _status_of(response) if isinstance(response, dict) else None


def _status_of(response: dict[str, object]) -> int | None:
    metadata = response.get("metadata")
    for holder in (response, metadata if isinstance(metadata, dict) else {}):
        for key in ("exit_code", "exitCode"):
            value = holder.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    unfinished = ("interrupted", "backgroundTaskId", "backgroundedByUser", "is_error", "isError", "timedOut")
    # `returnCodeInterpretation` explains a status other than 0 that the agent does not take for a failure.
    if any(response.get(key) for key in (*unfinished, "returnCodeInterpretation")):
        return None
    return 0 if isinstance(response.get("stdout"), str) else None


def _first_line_status(message: str) -> int | None:
    match = re.match(_STATUS, message.lstrip()[:200])
    return int(match[1]) if match else None
