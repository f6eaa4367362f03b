"""Reads the results of Codex's tool calls from the text of their outputs."""

from __future__ import annotations

import json
import re
from typing import Any

from capture.local.transcripts.messages import ToolResult, ToolUse
from capture.local.transcripts.stretch import texts_in
from capture.local.transcripts.tools import bounded, result_of

_HEAD = 1000
_STATUS = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d+)\s*$", re.MULTILINE | re.IGNORECASE)
_OUTPUT = re.compile(r"^Output:[ \t]*\n?", re.MULTILINE)
_SANDBOXED = re.compile(
    r"failed in sandbox .{0,200}?, exit code: (-?\d+), stdout: "
)  # what the program printed follows
_FAILED = (
    "failed in sandbox",
    "execution error",
    "failed to ",
    "apply_patch verification failed",
    "exec_command failed",
    "write_stdin failed",
    "unsupported call:",
    "tool call error",
    "command timed out",
    "exec command rejected",
    "patch rejected",
    "rejected by user",
    "aborted by user",
)


def result_from(output: object, use: ToolUse | None) -> ToolResult:
    """Return the result in the `output` of a call: a text, blocks of text, or an object with content and success."""
    text, status, failed = _parse(output)
    if status is None:
        head = text[:_HEAD]
        sandboxed = _SANDBOXED.match(head)
        if sandboxed:
            status, text = int(sandboxed[1]), text[sandboxed.end() :]
        match = _STATUS.search(head)
        if (
            match and not sandboxed and head[: match.start()].count("\n") <= 5
        ):  # in the heading; further down it is a program's output
            status = int(match[1])
            output_heading = _OUTPUT.search(text, match.end())
            text = text[(output_heading or match).end() :]
    if status:
        return result_of(f"Exit code {status}\n{bounded(text.strip())}", use, failed=True)
    failed = failed or (status is None and text[:_HEAD].lstrip().lower().startswith(_FAILED))
    return result_of(text, use, failed=failed)


def _parse(output: object) -> tuple[str, int | None, bool]:
    """Return the text, the exit status if a field has it, and whether a field marks the call as failed."""
    if isinstance(output, str) and output.startswith("{") and '"metadata"' in output:
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return str(output), None, False
    if not isinstance(output, dict):
        return texts_in(output), None, False
    metadata = output.get("metadata")
    code: Any = metadata.get("exit_code") if isinstance(metadata, dict) else None
    content = output.get("output", output.get("content"))
    return texts_in(content), code if type(code) is int else None, output.get("success") is False
