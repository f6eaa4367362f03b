"""The scope of the agent's task: the files that the prompts name, stored beside the session's calls.

    $MEMORYSERVER_HOME/trajectory/<session>/task.json     {"initial_paths": [...]}

The first prompt sets the scope. Where it named files, those of later prompts are added: a person who names more
widens the task. Where it named none, the scope is unknown and stays so.
"""

from __future__ import annotations

import json
import os

from memoryserver.common import files, prompts
from trajectory.local.calls import summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from trajectory.local.store import Trajectory

FILE = "task.json"
MAX_PATHS = 50
_MAX_BYTES = 1 << 16


def paths_in(prompt: str, root: Path) -> list[str]:
    """Return the files and folders of the project at `root` that the prompt names, relative to it; at most 50."""
    paths: dict[str, None] = {}
    for name in prompts.paths_named(prompt):
        path = summary.relative(os.path.expanduser(name), str(root), str(root))
        inside = path not in ("", ".") and not os.path.isabs(path) and not path.startswith("../")
        if inside and path != ".." and os.path.exists(os.path.join(root, path)):
            paths[path] = None
        if len(paths) == MAX_PATHS:
            break
    return list(paths)


def add(trajectory: Trajectory, paths: list[str]) -> None:
    """Take the paths of one more prompt of a person into account. Raises OSError."""
    before = _read(trajectory)
    scope = paths if before is None else list(dict.fromkeys([*before, *paths]))[:MAX_PATHS] if before else before
    if scope != before:
        files.make_folder(trajectory.folder)
        files.write_atomic(trajectory.folder / FILE, json.dumps({"initial_paths": scope}), durable=False)


def initial_paths(trajectory: Trajectory) -> frozenset[str]:
    """Return the scope of the session's task, relative to the project; empty where it is not known."""
    return frozenset(_read(trajectory) or ())


def _read(trajectory: Trajectory) -> list[str] | None:
    """Return the stored paths, None before the first prompt."""
    try:
        with open(trajectory.folder / FILE, "rb") as file:
            paths = json.loads(file.read(_MAX_BYTES))["initial_paths"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else None
