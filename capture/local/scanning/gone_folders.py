"""Finds the project of a folder that is gone and was never seen, as sub-agents' worktrees are that live for minutes.

What tells, the surest first: git's own record of a worktree that was removed without git; the folder's name in the
agent's notation (a slug), which may lead to a folder that is there; a repository beside it that has the session's
branch, whose name begins the folder's name, or that is the only one there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice

from memoryserver.client import places, repository
from memoryserver.client.repository import Repository
from memoryserver.common.project_key import is_agents_name

_MOST_ENTRIES = 500  # of one folder that are looked at
_MOST_STEPS = 2000  # folders that are looked at for a slug
_COMMON_BRANCHES = frozenset({"main", "master", "develop", "trunk", "HEAD"})


def project_of(folder: str, *, slug: str = "", branch: str = "") -> str:
    """Return the key of the project that `folder`, which does not exist, most likely belonged to; "" if nothing tells.

    `slug` and `branch` are as in `main_of`.
    """
    found = main_of(folder, slug=slug, branch=branch)
    return places.of(found).key(environment=False) if found else ""


def main_of(folder: str, *, slug: str = "", branch: str = "") -> str:
    """Return the folder of the repository that `folder`, which does not exist, most likely belonged to, or "".

    `slug` is the name of the folder in which the agent keeps the session's transcript, `branch` the session's.
    """
    gone, parent = _gone_part(folder)
    neighbours = _repositories_in(parent)
    return _by_worktrees(gone, neighbours) or _by_slug(slug) or _by_neighbours(gone, neighbours, branch)


def slug_of(path: str) -> str:
    """Return the name of `path` as agents write it in one word: each character but letters and digits is a hyphen."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _gone_part(folder: str) -> tuple[str, str]:
    """Return the topmost folder on the way to `folder` that does not exist, and its parent, which does."""
    parent = os.path.dirname(folder)
    while parent != folder and not os.path.isdir(parent):
        folder, parent = parent, os.path.dirname(parent)
    return folder, parent


def _repositories_in(parent: str) -> list[Repository]:
    """Return the repositories whose checkouts lie directly in `parent`."""
    found = []
    for name in _folders_in(parent):
        path = os.path.join(parent, name)
        neighbour = repository.around(path)
        if neighbour is not None and neighbour.common and neighbour.top == path:
            found.append(neighbour)
    return found


def _folders_in(parent: str) -> list[str]:
    try:
        with os.scandir(parent) as entries:
            return sorted(entry.name for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False) if entry.is_dir())
    except OSError:  # it may not be read
        return []


def _by_worktrees(gone: str, neighbours: list[Repository]) -> str:
    return next((neighbour.main for neighbour in neighbours if gone in neighbour.checkouts()), "")


def _by_neighbours(gone: str, neighbours: list[Repository], branch: str) -> str:
    mains = {neighbour.main: neighbour for neighbour in neighbours}
    if branch and branch not in _COMMON_BRANCHES:
        with_branch = [main for main, neighbour in mains.items() if _has_branch(neighbour.common, branch)]
        if len(with_branch) == 1:
            return with_branch[0]
    name = os.path.basename(gone).lower()
    named = [main for main, neighbour in mains.items() if re.match(re.escape(neighbour.name.lower()) + "[-_.]", name)]
    if named:
        return max(named, key=lambda main: len(mains[main].name))
    are_worktrees = any(neighbour.top != neighbour.main for neighbour in neighbours)
    return next(iter(mains)) if len(mains) == 1 and (are_worktrees or is_agents_name(name)) else ""


def _has_branch(common: str, branch: str) -> bool:
    if os.path.isfile(os.path.join(common, "refs", "heads", branch)):
        return True
    try:
        with open(os.path.join(common, "packed-refs"), "rb") as file:
            return f" refs/heads/{branch}\n".encode("utf-8", "surrogateescape") in file.read(1 << 22)
    except OSError:  # no branch is packed
        return False


def _by_slug(slug: str) -> str:
    """Return the repository that holds the folder which `slug` names, or the deepest part of it that exists."""
    if not slug.startswith("-"):
        return ""
    best = max(islice(_named(os.sep, slug), _MOST_STEPS), key=len)
    found = repository.around(best)
    return found.main if found is not None and found.common else ""


def _named(folder: str, rest: str) -> Iterator[str]:
    """Yield `folder`, and the folders below it on whose path `rest`, the end of a slug, may lead further."""
    yield folder
    for name in _names_in(folder) if rest else ():
        part, path = f"-{slug_of(name)}", os.path.join(folder, name)
        if (rest == part or rest.startswith(f"{part}-")) and os.path.isdir(path):
            yield from _named(path, rest[len(part) :])


def _names_in(folder: str) -> list[str]:
    """Return all names in `folder`: however many there are, few of them lead further."""
    try:
        return sorted(os.listdir(folder))
    except OSError:  # it may not be read
        return []
