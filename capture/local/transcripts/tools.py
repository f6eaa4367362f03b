"""Builds tool calls and their results for all agents: a reported error is not always a failure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from capture.local.transcripts.messages import Outcome, ToolResult, ToolUse
from capture.local.transcripts.wrappers import without_reminders
from memoryserver.common import outcomes

SHELLS = frozenset(
    {
        *("Bash", "PowerShell"),  # Claude Code
        *("shell", "shell_command", "exec_command", "local_shell", "container.exec"),  # Codex
        "run_shell_command",  # Gemini CLI
    }
)
_COMMAND_KEYS = ("command", "cmd")
_FILE_KEYS = ("file_path", "notebook_path", "path", "absolute_path")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
_NOTICE = re.compile(r"<task-id>([\w-]+)</task-id>.*?<summary>[^<]*\bexit code (\d+)", re.DOTALL)
_SHELL_CALL = ("-c", "-lc")
_MAX_COMMAND = 4000  # characters, before secrets are cut out
_MAX_FILES = 5
MOST_RESULT = 6000
_OUTCOMES = {
    outcomes.OK: Outcome.OK,
    outcomes.NO_MATCH: Outcome.OK,
    outcomes.ERROR: Outcome.FAILED,
    outcomes.REJECTION: Outcome.REJECTED,
    outcomes.DENIAL: Outcome.NOT_RUN,
    outcomes.CANCELLED: Outcome.NOT_RUN,
    outcomes.PROVIDER: Outcome.NOT_RUN,
}


def use_of(call: str, name: str, tool_input: Any, cwd: str) -> ToolUse:
    """Return the call `call` of `name`; its command without secrets, its files relative to `cwd` where below it."""
    if not isinstance(tool_input, dict):
        return ToolUse(call, name, "", _patched(tool_input, cwd) if isinstance(tool_input, str) else (), tool_input)
    if name in SHELLS:
        command = next((tool_input[key] for key in _COMMAND_KEYS if key in tool_input), "")
        return ToolUse(call, name, None, (), tool_input, _joined(command)[:_MAX_COMMAND])
    for key in _FILE_KEYS:
        path = tool_input.get(key)
        if isinstance(path, str) and path:
            return ToolUse(call, name, "", (_relative(path[:500], cwd),), tool_input)
    patch = tool_input.get("input")
    return ToolUse(call, name, "", _patched(patch, cwd) if isinstance(patch, str) else (), tool_input)


def result_of(text: str, use: ToolUse | None, *, failed: bool, interrupted: bool = False) -> ToolResult:
    """Return the result with the text `text`; `failed` is what the agent reports, `interrupted` that it was stopped."""
    reported = bounded(text.strip())
    text = without_reminders(reported).strip()
    if interrupted:
        return ToolResult(use, Outcome.NOT_RUN, text, reported=outcomes.CANCELLED)
    if not failed:
        return ToolResult(use, Outcome.OK, text, reported=outcomes.OK)
    classified = outcomes.classify(reported, command=use.command if use else "")
    outcome = _OUTCOMES[classified]
    if outcome == Outcome.REJECTED:
        return ToolResult(use, outcome, "", outcomes.rejection_reason(text), classified)
    if outcome == Outcome.FAILED and outcomes.never_ran(reported):
        outcome = Outcome.NOT_RUN
    return ToolResult(use, outcome, text, reported=classified)


def notices_in(texts: Iterable[str]) -> tuple[ToolResult, ...]:
    """Return the ends of background commands in notices of Claude Code, as calls that read their outputs would."""
    results: list[ToolResult] = []
    for text in texts:
        match = _NOTICE.search(text) if text.startswith("<task-notification>") else None
        if match:
            use = ToolUse("", "TaskOutput", tool_input={"task_id": match[1]})
            results.append(ToolResult(use, Outcome.OK, f"<exit_code>{match[2]}</exit_code>", reported=outcomes.OK))
    return tuple(results)


def bounded(text: str) -> str:
    """Return head and tail of `text`, cut at line breaks if any: the informative parts are there."""
    if len(text) <= MOST_RESULT:
        return text
    half = MOST_RESULT // 2
    head, tail = text[:half], text[-half:]
    return head.rpartition("\n")[0] + "\n\u2026\n" + tail.partition("\n")[2]


def _joined(command: object) -> str:
    """Return a command that is a list of words as a text; for `bash -lc SCRIPT` the script."""
    if isinstance(command, str):
        return command
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    return words[2] if len(words) == 3 and words[1] in _SHELL_CALL else " ".join(words)


def _patched(patch: str, cwd: str) -> tuple[str, ...]:
    if not patch.lstrip().startswith("*** Begin Patch"):
        return ()
    paths = (_relative(match[1][:500], cwd) for match in _PATCHED.finditer(patch))
    return tuple(dict.fromkeys(paths))[:_MAX_FILES]


def _relative(path: str, cwd: str) -> str:
    if cwd and path.startswith(cwd) and path[len(cwd) : len(cwd) + 1] in ("/", "\\"):
        return path[len(cwd) + 1 :]
    return path
