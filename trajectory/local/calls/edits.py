"""What an edit made out of what, as hashes: by them a file is seen to go back to where it was."""

from __future__ import annotations

from memoryserver.common.digest import digest

_MAX_EDITS = 8
_OLD = ("old_string", "old_str", "oldText", "old_text", "search")
_NEW = ("new_string", "new_str", "newText", "new_text", "replace")
_WHOLE = ("content", "file_text", "contents", "new_source")


def edits_of(arguments: object, paths: list[str]) -> list[list[str]]:
    """`[path, before, after]` for each edit in the arguments of a tool that writes; at most eight.

    `before` and `after` are hashes of the replaced and the new text, "" where there is none: the texts that an
    insertion replaces have nothing in common but that they are empty. A whole file that is written has no `before`.
    """
    if not isinstance(arguments, dict) or not paths:
        return []
    several = arguments.get("edits")
    given = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else [arguments]
    found = [[paths[0], _hashed(_first(one, _OLD)), _hashed(_first(one, _NEW + _WHOLE))] for one in given[:_MAX_EDITS]]
    return [edit for edit in found if edit[2] and edit[1] != edit[2]]


def _first(given: dict[str, object], keys: tuple[str, ...]) -> str:
    found = next((given[key] for key in keys if isinstance(given.get(key), str)), "")
    return found if isinstance(found, str) else ""


def _hashed(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"), 8) if text.strip() else ""
