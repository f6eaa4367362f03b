"""Real git repositories for tests, without the settings of the user who runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=dev", "-c", "user.email=dev@example.org", "-c", "init.defaultBranch=main")

_DIRECTIONS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES")


def git(folder: Path, *words: str, check: bool = True) -> str:
    """Run git in `folder` and return what it prints, without the line break at its end."""
    environment = {name: value for name, value in os.environ.items() if name not in _DIRECTIONS}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1"}
    completed = subprocess.run(
        ["git", *IDENTITY, *words], cwd=folder, env=environment, capture_output=True, check=False, text=True
    )
    assert completed.returncode == 0 or not check, completed.stderr
    return completed.stdout.removesuffix("\n") if completed.returncode == 0 else ""


def repository(folder: Path, remote: str = "") -> Path:
    """Return `folder`, made a repository with one commit, and `remote` as its `origin`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def worktree(main: Path, folder: Path, branch: str = "") -> Path:
    """Return `folder`, made a worktree of the repository `main` on `branch`, by default one of its name."""
    git(main, "worktree", "add", "-q", str(folder), "-b", branch or folder.name)
    return folder
