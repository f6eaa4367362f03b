"""Decides whether git's `includeIf` includes a file: `gitdir`, `gitdir/i`, `onbranch` and `hasconfig:remote.*.url`."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BRANCHES = "ref: refs/heads/"


def holds(condition: str, file: str, git_folder: str, urls: Callable[[], list[str]]) -> bool:
    """Return whether `condition`, written in the configuration file `file`, holds; False for one that is unknown.

    `git_folder` is the repository's, `urls` returns the URLs of its remotes.
    """
    kind, _, pattern = condition.partition(":")
    if kind in ("gitdir", "gitdir/i"):
        return _is_git_folder(pattern, file, git_folder, re.IGNORECASE if kind == "gitdir/i" else 0)
    if kind == "onbranch":
        return _is_match(f"{pattern}**" if pattern.endswith("/") else pattern, _branch(git_folder))
    if kind == "hasconfig" and pattern.startswith("remote.*.url:"):
        return any(_is_match(pattern.partition(":")[2], url) for url in urls())
    return False


def _is_git_folder(pattern: str, file: str, git_folder: str, flags: int) -> bool:
    pattern = os.path.expanduser(pattern)
    if pattern.startswith("./"):
        folder = os.path.dirname(os.path.realpath(file))
        pattern = _escaped(folder) + pattern[1:]
    elif not os.path.isabs(pattern):
        pattern = f"**/{pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    return any(_is_match(pattern, path, flags) for path in (os.path.realpath(git_folder), git_folder))


def _escaped(path: str) -> str:
    return re.sub(r"([*?\[\\])", r"\\\1", path)


def _branch(git_folder: str) -> str:
    try:
        with open(os.path.join(git_folder, "HEAD"), "rb") as file:
            head = os.fsdecode(file.read(4096)).strip()
    except OSError:
        return ""
    return head.removeprefix(_BRANCHES) if head.startswith(_BRANCHES) else ""


def _is_match(pattern: str, path: str, flags: int = 0) -> bool:
    """Return whether `path` matches as in git's wildmatch: `**` spans folders, `*` and `?` stay within one."""
    try:
        return re.fullmatch(_regex(pattern), path, flags | re.DOTALL) is not None
    except re.error:  # a range of characters that is none
        return False


def _regex(pattern: str) -> str:
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        rest = pattern[position:]
        at_start = position == 0 or pattern[position - 1] == "/"
        if at_start and rest.startswith("**/"):
            parts.append("(?:.*/)?")
            position += 3
        elif at_start and rest == "**":
            parts.append(".*")
            position += 2
        elif rest[0] == "*":
            stars = len(rest) - len(rest.lstrip("*"))
            parts.append("[^/]*")
            position += stars
        elif rest[0] == "?":
            parts.append("[^/]")
            position += 1
        elif rest[0] == "[" and "]" in rest[2:]:
            end = rest.index("]", 2)
            inside = rest[1:end].replace("\\", "\\\\")
            parts.append(f"(?!/)[{'^' + inside[1:] if inside[0] in '!^' else inside}]")
            position += end + 1
        else:
            literal = rest[1:2] if rest[0] == "\\" and len(rest) > 1 else rest[0]
            parts.append(re.escape(literal))
            position += 2 if rest[0] == "\\" and len(rest) > 1 else 1
    return "".join(parts)
