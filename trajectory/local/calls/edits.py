"""The text before and after each edit, as hashes: they show when a file returns to an earlier state."""

from __future__ import annotations

from memoryserver.common.digest import digest

_MAX_EDITS = 8
_OLD = ("old_string", "old_str", "oldText", "old_text", "search")
_NEW = ("new_string", "new_str", "newText", "new_text", "replace")
_CONTENT = ("content", "file_text", "contents", "new_source")


def edits_of(arguments: object, paths: list[str]) -> list[list[str]]:
    """Return `[path, before, after]` for each edit in the arguments of a tool that writes; at most eight.

    `before` and `after` are hashes of the replaced and the new text, "" where there is none: the texts that an
    insertion replaces have nothing in common but that they are empty. A whole file that is written has no `before`.
    """
    if not isinstance(arguments, dict) or not paths:
        return []
    edits = arguments.get("edits")
    changes = [change for change in edits if isinstance(change, dict)] if isinstance(edits, list) else [arguments]
    hashed = [
        [paths[0], _hashed(_first(change, _OLD)), _hashed(_first(change, _NEW + _CONTENT))]
        for change in changes[:_MAX_EDITS]
    ]
    return [edit for edit in hashed if edit[2] and edit[1] != edit[2]]


def _first(arguments: dict[str, object], keys: tuple[str, ...]) -> str:
    value = next((arguments[key] for key in keys if isinstance(arguments.get(key), str)), "")
    return value if isinstance(value, str) else ""


def _hashed(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"), 8) if text.strip() else ""
