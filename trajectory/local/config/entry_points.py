"""The entry points of installed packages, looked for once after each installation.

Looking through the metadata of every package takes longer than all observers together, so what was found is kept,
with the times at which the folders of packages were last changed:

    $MEMORYSERVER_HOME/trajectory_config/packages.json            for processes that load `site`
    $MEMORYSERVER_HOME/trajectory_config/packages.hook.json       for the hook, which leaves it out to start sooner

In the hook the folders that `site` adds are added here, when an observer is due.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

from memoryserver.client import home_folder
from memoryserver.common import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

_FOLDER = "trajectory_config"


def entry_points(group: str) -> list[tuple[str, str]]:
    """Name and value (`module:attribute`) of each entry point in `group`, by name."""
    path_before = list(sys.path)
    cache = _cached()
    if cache.get("group") == group and cache.get("path") == path_before and _unchanged(cache.get("folders")):
        with contextlib.suppress(TypeError, ValueError, KeyError):
            pairs = [(str(name), str(value)) for name, value in cache["found"]]
            sys.path += [folder for folder, _ in cache["folders"] if folder not in sys.path]
            return pairs
    if sys.flags.no_site:
        import site

        site.main()
    from importlib import metadata

    pairs = sorted((point.name, point.value) for point in metadata.entry_points(group=group))
    with contextlib.suppress(OSError):  # where it cannot be kept it is looked for again
        path = _path()
        files.make_folder(path.parent)
        content = {"group": group, "path": path_before, "folders": _folders(), "found": pairs}
        files.write_atomic(path, json.dumps(content), durable=False)
    return pairs


def _unchanged(folders: Any) -> bool:
    """Return whether no folder of packages was changed since they were noted."""
    try:
        return bool(folders) and all(_changed_at(folder) == at for folder, at in folders)
    except (TypeError, ValueError):
        return False


def _folders() -> list[list[Any]]:
    """Return the folders that packages are found in, each with the time of its last change."""
    return [[folder, _changed_at(folder)] for folder in sys.path]


def _changed_at(folder: str) -> int:
    """0 for the folder worked in, and for one that is not there."""
    try:
        return os.stat(folder).st_mtime_ns if folder else 0
    except OSError:
        return 0


def _path() -> Path:
    return home_folder.path() / _FOLDER / ("packages.hook.json" if sys.flags.no_site else "packages.json")


def _cached() -> dict[str, Any]:
    return files.read_object(_path())
