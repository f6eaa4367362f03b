"""Finds the git repository around a folder, as git does: upward to the next `.git`, or to a bare repository.

A worktree (`git worktree add`) belongs to the repository of its main checkout. `$GIT_DIR` is ignored: git sets it for
its own hooks and a person for one command, and a session belongs to the folder it runs in. A hook runs this at every
tool call, so it works on plain strings and opens a file only where `.git` is one.
"""

from __future__ import annotations

import os
import stat

_MAX_BYTES = 1 << 16
_PREFIX = "gitdir: "
_BRANCH = "ref: refs/heads/"


class Repository:
    """A repository, and the checkout of it that was found.

    `top` is the checkout's folder and `git_folder` its own git folder; `common` is the git folder that all checkouts
    share, "" where it is gone, as when the main checkout was moved. `main` is the folder that stands for the whole
    repository: the main checkout, or the bare repository.
    """

    __slots__ = ("common", "git_folder", "main", "top")

    def __init__(self, top: str, git_folder: str, common: str, main: str) -> None:
        self.top, self.git_folder, self.common, self.main = top, git_folder, common, main

    @property
    def branch(self) -> str:
        """The branch that is checked out, "" where none is, or it cannot be told."""
        head = _first_line(os.path.join(self.git_folder, "HEAD")) if self.git_folder else ""
        return head.removeprefix(_BRANCH) if head.startswith(_BRANCH) else ""

    @property
    def name(self) -> str:
        """The name of the main checkout's folder, or of the bare repository without its `.git`."""
        return os.path.basename(self.main).removesuffix(".git")

    def checkouts(self, limit: int = 200) -> list[str]:
        """Return the folders of its worktrees, those included that were removed without git, at most `limit`."""
        worktrees = os.path.join(self.common, "worktrees")
        try:
            names = sorted(os.listdir(worktrees))[:limit] if self.common else []
        except OSError:  # it has none
            return []
        dot_gits = [_first_line(os.path.join(worktrees, name, "gitdir")) for name in names]
        bases = [os.path.join(worktrees, name) for name in names]
        return [
            os.path.dirname(os.path.normpath(os.path.join(base, dot_git)))
            for base, dot_git in zip(bases, dot_gits, strict=True)
            if dot_git
        ]


def around(folder: str) -> Repository | None:
    """Return the repository around the absolute path `folder`, which need not exist; None where there is none."""
    while True:
        dot_git = os.path.join(folder, ".git")
        try:
            mode = os.stat(dot_git).st_mode
        except (OSError, ValueError):  # there is none, or the folder cannot be read
            mode = 0
        if stat.S_ISDIR(mode):
            return Repository(folder, dot_git, dot_git, folder)
        if stat.S_ISREG(mode):
            return _of_file(folder, dot_git)
        if _is_bare(folder):
            main = _main_of(folder)
            return Repository(main, folder, folder, main)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _of_file(top: str, dot_git: str) -> Repository:
    """Return the repository that a file `.git` names: of a worktree, a submodule or a separate git folder."""
    line = _first_line(dot_git)
    if not line.startswith(_PREFIX):
        return Repository(top, "", "", top)
    git_folder = os.path.normpath(os.path.join(top, line.removeprefix(_PREFIX)))
    if not os.path.isdir(git_folder):
        before, worktrees, _ = git_folder.replace(os.sep, "/").rpartition("/worktrees/")
        return Repository(top, "", "", _main_of(before) if worktrees else top)
    to_common = _first_line(os.path.join(git_folder, "commondir"))
    if not to_common:
        return Repository(top, git_folder, git_folder, top)
    common = os.path.normpath(os.path.join(git_folder, to_common))
    return Repository(top, git_folder, common, _main_of(common))


def _main_of(common: str) -> str:
    """Return the folder that stands for the repository whose git folder is `common`.

    That is the folder around `.git` or `.bare`, the checkout that the repository's configuration names, which that of a
    submodule does, or else the git folder itself.
    """
    if os.path.basename(common).startswith("."):
        return os.path.dirname(common)
    if os.sep + "modules" + os.sep in common:
        from memoryserver.client import git_config

        worktree = git_config.worktree(common)
        if worktree:
            return os.path.normpath(os.path.join(common, worktree))
    return common


def _is_bare(folder: str) -> bool:
    return (
        os.path.isfile(os.path.join(folder, "HEAD"))
        and os.path.isdir(os.path.join(folder, "objects"))
        and os.path.isdir(os.path.join(folder, "refs"))
    )


def _first_line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MAX_BYTES)).rstrip("\r\n")
    except (OSError, ValueError):
        return ""
