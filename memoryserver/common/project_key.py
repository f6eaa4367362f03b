"""The form of a project's key, and the key of a folder of which only the path is known."""

from __future__ import annotations

import re

_TEMPORARY = re.compile(r"/(?:private/)?(?:tmp|var/tmp|var/folders)(?:/|$)|.*\\Temp\\", re.IGNORECASE)
_AGENTS_NAME = re.compile(r"(?:agent|worktree|wt|wf)[-_]", re.IGNORECASE)
_WORKTREE = re.compile(r"[\\/]\.(?:claude|codex)[\\/]worktrees[\\/].*", re.DOTALL)


def normalized(key: str) -> str:
    """Return a project's key as it is compared: one line in lower case and composed form (NFC)."""
    if not key.isascii():
        import unicodedata

        key = unicodedata.normalize("NFC", key)
    return " ".join(key.lower().split())


def names_on(path: str) -> list[str]:
    """Return the names of the folders on `path`, the last one first, of this or another machine, of Windows too.

    A worktree that an agent made within a repository is left out.
    """
    return [normalized(part) for part in reversed(re.split(r"[\\/]", _WORKTREE.sub("", path))) if part.strip()]


def of_unknown_folder(path: str) -> str:
    """Return the key of a folder of which nothing is known: its name, "" for a temporary one or an agent's worktree."""
    names = names_on(path)
    return "" if not names or is_agents_name(names[0]) or _TEMPORARY.match(path) else names[0]


def is_agents_name(name: str) -> bool:
    """Return whether a folder's name is one that agents give to their worktrees, such as `agent-7f`."""
    return _AGENTS_NAME.match(name) is not None
