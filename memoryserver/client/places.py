"""Where a project is on the laptop: its root, its key, and the folders that memoryserver keeps in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from memoryserver.client import config

TRAJECTORY_FOLDER = Path(str(config.KEYS["trajectory_dir"].default))


def project_root(start: Path | None = None) -> Path:
    """The project that work in `start` (by default the current folder) belongs to.

    The agent's project folder (`$CLAUDE_PROJECT_DIR`) when a hook gives it and no `start` is named,
    else the nearest folder from `start` upwards with a `.git`, else `start` itself.
    """
    given = os.environ.get("CLAUDE_PROJECT_DIR")
    if start is None and given:
        return Path(given)
    start = start or Path.cwd()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start


def root_of_event(event: dict[str, object]) -> Path:
    """The root of the project in which the hook event `event` happened; never raises.

    `$CLAUDE_PROJECT_DIR` if the agent set it, else the project that the event's `cwd` belongs to.
    """
    cwd = event.get("cwd")
    usable = isinstance(cwd, str) and "\0" not in cwd and os.path.isabs(cwd)
    start = Path(str(cwd)) if usable and not os.environ.get("CLAUDE_PROJECT_DIR") else None
    try:
        return project_root(start)
    except OSError:  # the folder was removed or may not be read; the event counts all the same
        return start or Path(os.curdir)


def journal_dir(root: Path) -> Path:
    """The GHAP journal of the project at `root`: `.claude/journal` in it unless the setting `journal_dir` says else."""
    return root / os.path.expanduser(config.text("journal_dir", root))


def trajectory_dir(root: Path) -> Path:
    """Where assessments of the project at `root` are written: `.wink/trajectory` in it unless set."""
    return root / os.path.expanduser(config.text("trajectory_dir", root))


def project_key(root: Path, *, environment: bool = True) -> str:
    """The name under which every laptop knows the project at `root`.

    The setting `project` if there is one; else the `origin` remote of its git repository without scheme,
    user, port and `.git` (`github.com/acme/shop`); else the folder's own name. Without `environment` the
    setting does not count: it names the project worked in, and `root` may be any.
    """
    given = config.text("project") if environment else ""
    if given:
        return given
    return _origin(root) or root.name or "root"


def _origin(root: Path) -> str | None:
    config = _git_folder(root) / "config"
    try:
        text = config.read_text("utf-8", errors="replace")
    except OSError:
        return None
    section = re.search(r'^\[remote "origin"\]\s*$(.*?)(?=^\[|\Z)', text, re.MULTILINE | re.DOTALL)
    url = re.search(r"^\s*url\s*=\s*(\S+)", section[1], re.MULTILINE) if section else None
    return _remote_key(url[1]) if url else None


def _git_folder(root: Path) -> Path:
    """The folder with the repository's `config`: for a worktree that of the main checkout."""
    dot_git = root / ".git"
    if not dot_git.is_file():
        return dot_git
    target = dot_git.read_text("utf-8", errors="replace").removeprefix("gitdir:").strip()
    folder = root / target
    common = folder / "commondir"
    return folder / common.read_text("utf-8").strip() if common.is_file() else folder


def _remote_key(url: str) -> str | None:
    match = re.fullmatch(r"(?:[a-z+]+://)?(?:[^@/]+@)?([^:/]+)(?::\d+(?=/))?[:/]+(.+?)(?:\.git)?/*", url)
    return f"{match[1].lower()}/{match[2]}" if match else None
