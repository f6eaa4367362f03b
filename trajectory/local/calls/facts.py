"""The fields of a row that describe a call's result and its effect, read while the result is available.

Results are not stored: agents shorten them when they compact, and they may hold anything. Stored are hashes, what the
text reports (success, failure, nothing), and a line of it, redacted.
"""

from __future__ import annotations

import json

from memoryserver.common import shell, shell_purpose, text
from memoryserver.common.digest import digest
from trajectory.local import outcome as outcomes
from trajectory.local.calls import edits, hashing, normalise, result_text, suite_report, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trajectory.local.calls.parse import ToolCall

MAX_HEAD = 160
_EMPTY = "empty"
_REQUESTERS = frozenset({"curl", "wget", "nc", "pg_isready", "redis-cli", "http"})
_BESIDE_REQUESTS = frozenset({"sleep", "echo", "true", "head", "tail", "grep", "jq", "cat"})
_SLEEPS = frozenset({"sleep"})
_STATES = ("health", "ready", "status")  # in the address of a request
_REFUSED = ("connection refused", "failed to connect", "couldn't connect", "could not connect", "no response")
_CURL_REFUSED = 7  # the exit status of curl where it could not connect
_MAX_REFUSAL = 1000
_LINTERS = frozenset(
    {"lint", "eslint", "flake8", "ruff", "pylint", "shellcheck", "black", "prettier", "clippy", "fmt", "check"}
)
_MAX_PATH = 300
_MAX_REMOVED = 8
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


def facts(call: ToolCall, failure: str, paths: list[str]) -> dict[str, object]:
    """Return the row's fields about the result and what the call changed; `failure` is the text of a failure."""
    kind, outcome = summary.kind_of(call.tool_name, call.arguments), call.outcome
    answer = (failure if call.error is not None else text_of(call.result))[:_MAX_READ]
    says = _says(kind, answer, outcome, call.command)
    only_looks = bool(call.command) and shell_purpose.only_looks(call.command)
    ran = kind == summary.COMMAND and not only_looks
    failures, failing = suite_report.of_output(answer) if ran or kind == summary.OTHER else (None, "")
    return {
        "result_key": _result_key(call, answer, fails=kind == summary.COMMAND and says == result_text.FAILURE),
        "result_head": _head(answer),
        "says": says,
        "changes": outcome == outcomes.OK and _changes(kind, call.command, says),
        "looks": kind in (summary.READ, summary.SEARCH) or only_looks,
        "polls": _waits(call, answer, says),
        "removes": _removed(call.command) if outcome == outcomes.OK else [],
        "edits": edits.edits_of(call.arguments, paths) if kind == summary.WRITE and outcome == outcomes.OK else [],
        "failures": failures,
        "failing": failing,
    }


def text_of(result: object) -> str:
    """Return the text of a result, whatever its shape; a shell result without output is empty."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        if "stdout" in result or "stderr" in result:
            return "\n".join(
                part for part in (result.get("stdout"), result.get("stderr")) if isinstance(part, str) and part
            )
        fields = hashing.without_measurements(result)
        return json.dumps(fields, sort_keys=True, ensure_ascii=False, default=str)
    if isinstance(result, list) and all(isinstance(part, dict) and "text" in part for part in result):
        return "\n".join(str(part["text"]) for part in result)
    return "" if result is None else json.dumps(result, default=str)


def key_of(answer: str, *, fails: bool = False) -> str:
    """Return a hash that equal answers share: of all of the text except times, durations and ids.

    With `fails` it is the output of a program that failed, of which the places in files do not count either.
    """
    normalised = (normalise.of_failure if fails else normalise.of_result)(answer).strip()
    if not normalised:
        return _EMPTY
    # As long as other digests, which redaction knows: a field whose name ends in "key" may hold a secret otherwise.
    return digest(normalised.encode("utf-8", "surrogatepass"), 16)


def _result_key(call: ToolCall, answer: str, *, fails: bool) -> str:
    return "" if call.error is None and call.result is None else key_of(answer, fails=fails)


def _says(kind: str, answer: str, outcome: str, command: str) -> str:
    if outcome == outcomes.ERROR:
        return result_text.FAILURE
    if outcome == outcomes.NO_MATCH:
        return result_text.NOTHING
    if kind in (summary.READ, summary.SEARCH, summary.WRITE):
        return result_text.of_answer(answer)
    says = result_text.of_result(answer)
    if not says and outcome == outcomes.OK and command and _is_verification(command):
        return result_text.SUCCESS  # a test, build or linter that ended well
    return says


def _is_verification(command: str) -> bool:
    parts = [shell.program_words(shell.without_keywords(part.words)) for part in shell.parts(command)]
    lints = any(not _LINTERS.isdisjoint(words[:3]) for words in parts)
    return lints or shell_purpose.runs_tests_or_build(command)


def _removed(command: str) -> list[str]:
    """Return the files that `rm` is given in the command, as they are written there; at most eight."""
    if "rm " not in command:
        return []
    parts = (shell.program_words(shell.without_keywords(part.words)) for part in shell.parts(command))
    words = [word for program in parts if program[:1] == ("rm",) for word in program[1:] if not word.startswith("-")]
    return [text.printable(word)[:_MAX_PATH] for word in words[:_MAX_REMOVED]]


def _changes(kind: str, command: str, says: str) -> bool:
    if kind == summary.WRITE:
        return says != result_text.FAILURE
    return bool(command) and shell_purpose.changes(command)


def _waits(call: ToolCall, answer: str, says: str) -> bool:
    """Return whether the call waits for something, by what it is and by what came back."""
    polls = _polls(call.tool_name, call.arguments, call.command)
    return (polls and not _is_answered_request(call, says)) or _awaits_server(call, answer)


def _is_answered_request(call: ToolCall, says: str) -> bool:
    """Return whether a server that listens gave an answer to a request that does not ask how the server is.

    After an edit that is a check like any other, and no waiting.
    """
    if call.outcome != outcomes.OK or says in (result_text.NOTHING, result_text.FAILURE):
        return False
    programs = [shell.program_words(shell.without_keywords(part.words)) for part in shell.parts(call.command)]
    names = {words[0] for words in programs if words}
    asks_state = any(mark in word for words in programs for word in words for mark in _STATES)
    return not asks_state and not names.isdisjoint(_REQUESTERS) and names <= _REQUESTERS | _BESIDE_REQUESTS - _SLEEPS


def _polls(name: str, arguments: object, command: str) -> bool:
    """Return whether the call waits: a tool made for that, an empty line to a terminal, a shell that sleeps."""
    if command:
        return shell_purpose.waits(command)
    tool = name.rsplit("__", 1)[-1].lower()
    if not isinstance(arguments, dict):
        return tool in _POLLERS
    if tool == "write_stdin" or summary.kind_of(name) == summary.COMMAND:
        return not any(str(arguments.get(key) or "").strip() for key in ("chars", "input", "text", "command", "cmd"))
    return tool in _POLLERS or (tool == "process" and arguments.get("action") in ("poll", "status", "log"))


def _awaits_server(call: ToolCall, answer: str) -> bool:
    """Return whether a request came too early, or too late: nothing listens where it went."""
    if call.outcome != outcomes.ERROR or not call.command:
        return False
    start = answer[:_MAX_REFUSAL].lower()
    if outcomes.exit_status(start) != _CURL_REFUSED and not any(words in start for words in _REFUSED):
        return False
    parts = (shell.program_words(shell.without_keywords(part.words)) for part in shell.parts(call.command))
    programs = {words[0] for words in parts if words}
    return not programs.isdisjoint(_REQUESTERS) and programs <= _REQUESTERS | _BESIDE_REQUESTS


def _head(answer: str) -> str:
    """Return the first lines of the answer on one line, redacted before they are cut."""
    from memoryserver.common.redaction import redact

    first = text.one_line(text.printable(answer[: MAX_HEAD * 6]))
    return text.shorten(redact(first).text, MAX_HEAD)
