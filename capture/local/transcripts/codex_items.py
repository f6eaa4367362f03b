"""Reads what Codex 0.147 and later writes down of each finished piece of a turn (`item_completed`).

A script that the model runs with the tool `exec` may run any number of commands; these are recorded here alone, each
with how it came out. The calls of other tools are recorded as items for the model too, under the same id.
"""

from __future__ import annotations

from typing import Any

from capture.local.transcripts.messages import Role, ToolResult, ToolUse
from capture.local.transcripts.stretch import dicts_of, text_of, texts_in
from capture.local.transcripts.tools import bounded, result_of, use_of

SPEAKERS = {"UserMessage": Role.PERSON, "AgentMessage": Role.AGENT}
_UNFINISHED = frozenset({"in_progress", "inProgress"})
_DECLINED = "declined"
_REJECTED = "exec command rejected by user"  # as Codex words it for the model


def call_in(item: dict[str, Any], cwd: str) -> tuple[ToolUse, ToolResult] | None:
    """Return the call that `item` records and its result; None if it is not a call, or not finished."""
    kind, status = text_of(item.get("type")), text_of(item.get("status"))
    if status in _UNFINISHED:
        return None
    call = text_of(item.get("id"))[:100]
    if kind == "CommandExecution":
        use = use_of(call, "exec_command", {"command": item.get("command")}, text_of(item.get("cwd")) or cwd)
        return use, _result(item, use, _output(item), status)
    if kind == "FileChange":
        use = use_of(call, "apply_patch", _patch(item.get("changes")), cwd)
        return use, _result(item, use, _output(item), status)
    if kind == "McpToolCall":
        name = f"mcp__{text_of(item.get('server'))}__{text_of(item.get('tool'))}"[:100]
        use = use_of(call, name, item.get("arguments"), cwd)
        return use, _result(item, use, _answer(item), status)
    return None


def _result(item: dict[str, Any], use: ToolUse, text: str, status: str) -> ToolResult:
    if status == _DECLINED:
        return result_of(_REJECTED, use, failed=True)
    code = item.get("exit_code")
    if type(code) is int and code:
        return result_of(f"Exit code {code}\n{bounded(text.strip())}", use, failed=True)
    return result_of(text, use, failed=status == "failed" or item.get("error") is not None)


def _output(item: dict[str, Any]) -> str:
    """Return what a command or a patch printed."""
    whole = text_of(item.get("aggregated_output"))
    return whole or "\n".join(filter(None, (text_of(item.get(name)).strip() for name in ("stdout", "stderr"))))


def _answer(item: dict[str, Any]) -> str:
    """Return the text that a tool of an MCP server answered, or its error."""
    error, result = item.get("error"), item.get("result")
    if error is not None:
        return error if isinstance(error, str) else text_of(error.get("message") if isinstance(error, dict) else None)
    return texts_in(result.get("content") if isinstance(result, dict) else result)


def _patch(changes: object) -> str:
    """Return the heading of a patch that names the files in `changes`: an object by path, or a list."""
    paths = list(changes) if isinstance(changes, dict) else [text_of(each.get("path")) for each in dicts_of(changes)]
    return "\n".join(["*** Begin Patch", *(f"*** Update File: {path}" for path in paths if path)])
