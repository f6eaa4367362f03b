"""What the observers need to know of a call beyond its outcome, read while its result is still at hand.

Results are not kept: agents shorten them when they compact, and they may hold anything. What is kept are hashes,
what the text says, and a line of it, redacted.
"""

from __future__ import annotations

import json

from memoryserver.common import shell_purpose, text
from memoryserver.common.digest import digest
from trajectory.local import outcome
from trajectory.local.calls import edits, hashing, normalise, result_text, suite_report, summary

MAX_HEAD = 160
_EMPTY = "empty"
_MAX_READ = 1 << 20  # characters of a result that are looked at
_POLLERS = frozenset(
    [
        "bashoutput",
        "taskoutput",
        "task_output",
        "get_task_output",
        "agentoutputtool",
        "read_terminal",
        "get_terminal_output",
        "wait",
        "sleep",
        "check_status",
        "get_status",
        "job_status",
        "poll",
    ]
)


def facts(
    name: str, arguments: object, result: object, *, error: str | None, came_out: str, paths: list[str]
) -> dict[str, object]:
    """The row's fields about the result and what the call changed; `error` is the text of a failure."""
    kind = summary.kind_of(name, arguments)
    command = summary.command_of(name, arguments)
    answer = (error if error is not None else text_of(result))[:_MAX_READ]
    said = _said(kind, answer, came_out)
    ran = kind == summary.COMMAND and not shell_purpose.only_looks(command)
    failures, failing = suite_report.of_output(answer) if ran or kind == summary.OTHER else (None, "")
    return {
        "result_key": "" if error is None and result is None else key_of(answer),
        "result_head": _head(answer),
        "says": said,
        "changes": came_out == outcome.OK and _changes(kind, command, said),
        "looks": kind in (summary.READ, summary.SEARCH) or (bool(command) and shell_purpose.only_looks(command)),
        "polls": _polls(name, arguments, command),
        "edits": edits.edits_of(arguments, paths) if kind == summary.WRITE and came_out == outcome.OK else [],
        "failures": failures,
        "failing": failing,
    }


def text_of(result: object) -> str:
    """The text of a result, whatever its shape; a shell's silence is empty, however many fields say so."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        if "stdout" in result or "stderr" in result:
            return "\n".join(
                part for part in (result.get("stdout"), result.get("stderr")) if isinstance(part, str) and part
            )
        kept = hashing.without_measurements(result)
        return json.dumps(kept, sort_keys=True, ensure_ascii=False, default=str)
    if isinstance(result, list) and all(isinstance(part, dict) and "text" in part for part in result):
        return "\n".join(str(part["text"]) for part in result)
    return "" if result is None else json.dumps(result, default=str)


def key_of(answer: str) -> str:
    """What makes two answers the same: a hash of all of it but for times, durations and ids."""
    settled = normalise.settled(answer).strip()
    if not settled:
        return _EMPTY
    return digest(settled.encode("utf-8", "surrogatepass"), 12)


def _said(kind: str, answer: str, came_out: str) -> str:
    if came_out == outcome.ERROR:
        return result_text.FAILURE
    if came_out == outcome.NO_MATCH:
        return result_text.NOTHING
    if kind in (summary.READ, summary.SEARCH, summary.WRITE):
        return result_text.of_answer(answer)
    return result_text.of_result(answer)


def _changes(kind: str, command: str, said: str) -> bool:
    if kind == summary.WRITE:
        return said != result_text.FAILURE
    return bool(command) and shell_purpose.changes(command)


def _polls(name: str, arguments: object, command: str) -> bool:
    """Whether the call waits for something: a tool made for it, an empty line to a terminal, a shell that sleeps."""
    if command:
        return shell_purpose.waits(command)
    tool = name.rsplit("__", 1)[-1].lower()
    if not isinstance(arguments, dict):
        return tool in _POLLERS
    if tool == "write_stdin" or summary.kind_of(name) == summary.COMMAND:
        return not any(str(arguments.get(key) or "").strip() for key in ("chars", "input", "text", "command", "cmd"))
    return tool in _POLLERS or (tool == "process" and arguments.get("action") in ("poll", "status", "log"))


def _head(answer: str) -> str:
    """The first lines of the answer on one line, redacted before they are cut."""
    from memoryserver.common.redaction import redact

    first = text.one_line(text.printable(answer[: MAX_HEAD * 6]))
    return text.shorten(redact(first).text, MAX_HEAD)
