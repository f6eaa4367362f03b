"""What Claude Code's tool calls were and how they came out: an error it reports need not be a failure."""

from __future__ import annotations

import os
import re
from typing import Any

from capture.local.transcripts.messages import Outcome, ToolResult, ToolUse
from capture.local.transcripts.wrappers import without_reminders
from memoryserver.local.redaction import redact
from memoryserver.local.text import clean

_SHELLS = frozenset({"Bash", "PowerShell"})
_FILE_KEYS = ("file_path", "notebook_path", "path")
_MOST_COMMAND = 2000
_MOST_RESULT = 6000
_HEAD = 400  # these texts open a result; further down they may be what a program printed

_REJECTED = re.compile(r"the user doesn't want to proceed with this tool use|the tool use was rejected", re.IGNORECASE)
_NOT_RUN = re.compile(
    r"the user doesn't want to take this action right now|requested permissions? to |requires approval"
    r"|was blocked\. for security|permission to use .{1,80} has been denied|denied by |blocked by .{0,40}hook|hook"
    r" error"
    r"|(?:Pre|Post)ToolUse:\w* \[|sibling tool call errored|\[request interrupted by user|<tool_use_error>"
    r"|no such tool available|inputvalidationerror",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?:the user said:|provided the following reason for the rejection:)\s*(.*?)\s*(?:\n\s*\n\s*(?:Note"
    r"|IMPORTANT):.*)?\Z",
    re.DOTALL | re.IGNORECASE,
)
_ANSWERS_BY_EXIT = frozenset({"grep", "egrep", "fgrep", "rg", "find", "diff", "cmp", "test", "["})


def use_of(block: dict[str, Any], cwd: str) -> ToolUse:
    """The call in a `tool_use` block; its command without secrets, its files relative to `cwd` where below it."""
    given = block.get("input")
    inputs = given if isinstance(given, dict) else {}
    name = _text(block.get("name"))[:100]
    command = _joined(inputs.get("command")) if name in _SHELLS else ""
    paths = (_text(inputs.get(key)) for key in _FILE_KEYS)
    files = tuple(_relative(path[:500], cwd) for path in paths if path)
    shown = redact(command[: _MOST_COMMAND * 2]).text[:_MOST_COMMAND]
    return ToolUse(_text(block.get("id"))[:100], name, shown, files[:1])


def result_of(block: dict[str, Any], detail: object, use: ToolUse | None) -> ToolResult:
    """The result in a `tool_result` block; `detail` is the line's `toolUseResult`, which sub-agents leave out."""
    content = clean(_bounded(_content(block.get("content")).strip()))
    head = content[:_HEAD].replace("\u2019", "'")
    text = without_reminders(content).strip()
    failed = block.get("is_error") is True or (isinstance(detail, str) and detail.startswith("Error:"))
    if failed and _REJECTED.search(head):
        said = _SAID.search(text)
        return ToolResult(use, Outcome.REJECTED, "", said[1].strip() if said else "")
    interrupted = isinstance(detail, dict) and detail.get("interrupted") is True
    if interrupted or (failed and not head.startswith("Exit code") and _NOT_RUN.search(head)):
        return ToolResult(use, Outcome.NOT_RUN, text)
    if failed and not _says_no(text, use):
        return ToolResult(use, Outcome.FAILED, text)
    return ToolResult(use, Outcome.OK, text)


def _says_no(text: str, use: ToolUse | None) -> bool:
    """Exit status 1 of a program that looks or compares means "no", not "failed"."""
    if use is None or not use.command or (text and not re.match(r"Exit code 1\b", text)):
        return False
    last = re.split(r"\|\||&&|[|;\n]", use.command)[-1].split()
    while last and ("=" in last[0] or last[0] in ("sudo", "time", "command", "!")):
        last = last[1:]
    if last[:1] == ["git"]:
        return any(word in ("diff", "grep") for word in last[1:4])
    return bool(last) and os.path.basename(last[0]) in _ANSWERS_BY_EXIT


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _bounded(text: str) -> str:
    """Head and tail, cut at line breaks where there are some: what tells stands there."""
    if len(text) <= _MOST_RESULT:
        return text
    half = _MOST_RESULT // 2
    head, tail = text[:half], text[-half:]
    return head.rpartition("\n")[0] + "\n\u2026\n" + tail.partition("\n")[2]


def _joined(value: object) -> str:
    return " ".join(map(_text, value)) if isinstance(value, list) else _text(value)


def _relative(path: str, cwd: str) -> str:
    for separator in "/\\":
        if cwd and path.startswith(cwd + separator):
            return path[len(cwd) + 1 :]
    return path


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""
