"""What an edit changes: the lines that it takes out and those that it puts in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from capture.local.transcripts.messages import ToolUse

EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "replace", "write_file"})
_MAX_TEXT = 8_000  # characters of either text that are read
_WORDS = re.compile(r"\w+")


def changed_texts(use: ToolUse) -> tuple[str, str]:
    """Return the text that the edit `use` replaces and the new one, "" where its input does not say."""
    if use.name not in EDITS:
        return "", ""
    pairs = list(_pairs(use.tool_input))
    old = "\n".join(pair[0] for pair in pairs)
    return old[:_MAX_TEXT], "\n".join(pair[1] for pair in pairs)[:_MAX_TEXT]


def new_line(old: str, new: str, names: list[str]) -> str:
    """Return the line of `new` that is not in `old` and has most in common with a replaced line, "" if none.

    With `names`, a replaced line must hold one of them; a replaced line is one of `old` that is not in `new`.
    """
    old_lines, new_lines = _lines(old), _lines(new)
    removed = [line for line in old_lines if line not in new_lines]
    added = [line for line in new_lines if line not in old_lines]
    if names:
        removed = [line for line in removed if any(name in line for name in names)]
    best = max(((_likeness(one, other), one) for one in added for other in removed), default=(0.0, ""))
    return best[1] if best[0] > 0.3 else ""


def _pairs(tool_input: Any) -> Iterator[tuple[str, str]]:
    if isinstance(tool_input, str):
        yield _patched(tool_input)
    if not isinstance(tool_input, dict):
        return
    edits = tool_input.get("edits")
    for edit in edits if isinstance(edits, list) else [tool_input]:
        old = edit.get("old_string") if isinstance(edit, dict) else None
        new = edit.get("new_string") if isinstance(edit, dict) else None
        if isinstance(old, str) and isinstance(new, str):
            yield old, new
    patch = tool_input.get("input")
    if isinstance(patch, str):
        yield _patched(patch)


def _patched(patch: str) -> tuple[str, str]:
    lines = patch.split("\n")
    old = "\n".join(line[1:] for line in lines if line.startswith("-"))
    return old, "\n".join(line[1:] for line in lines if line.startswith("+"))


def _lines(text: str) -> list[str]:
    return [line for line in (line.strip() for line in text.split("\n")) if len(line) > 3]


def _likeness(one: str, other: str) -> float:
    first, second = set(_WORDS.findall(one)), set(_WORDS.findall(other))
    return len(first & second) / len(first | second) if first | second else 0.0
