"""How Codex's tool calls came out, which only the text of their outputs tells."""

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
_FAILED = (
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
    """The result in the `output` of a call: a text, blocks of text, or an object with content and success."""
    text, status, failed = _told(output)
    if status is None:
        head = text[:_HEAD]
        stated = _STATUS.search(head)
        if stated and head[: stated.start()].count("\n") <= 5:  # the heading; further down it is a program's
            status = int(stated[1])
            begins = _OUTPUT.search(text, stated.end())
            text = text[begins.end() :] if begins else text[stated.end() :]
    if status:
        return result_of(f"Exit code {status}\n{bounded(text.strip())}", use, failed=True)
    failed = failed or (status is None and text[:_HEAD].lstrip().lower().startswith(_FAILED))
    return result_of(text, use, failed=failed)


def _told(output: object) -> tuple[str, int | None, bool]:
    """The text, the exit status where a field states it, and whether a field says that the call failed."""
    if isinstance(output, str) and output.startswith("{") and '"metadata"' in output:
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return str(output), None, False
    if not isinstance(output, dict):
        return texts_in(output), None, False
    metadata = output.get("metadata")
    code: Any = metadata.get("exit_code") if isinstance(metadata, dict) else None
    inside = output.get("output", output.get("content"))
    return texts_in(inside), code if type(code) is int else None, output.get("success") is False
