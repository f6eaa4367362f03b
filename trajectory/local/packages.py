"""The entry points of installed packages, looked for once after each installation.

Looking through the metadata of every package takes longer than all observers together, so what was found is kept,
with the times at which the folders of packages were last changed:

    $MEMORYSERVER_HOME/trajectory_config/packages.json
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

from memoryserver.local import files, places

_FILE = "trajectory_config/packages.json"


def entry_points(group: str) -> list[tuple[str, str]]:
    """Name and value (`module:attribute`) of each entry point in `group`, by name."""
    folders = _folders()
    kept = _kept()
    if kept.get("group") == group and kept.get("folders") == folders:
        with contextlib.suppress(TypeError, ValueError, KeyError):
            return [(str(name), str(value)) for name, value in kept["found"]]
    from importlib import metadata

    found = sorted((point.name, point.value) for point in metadata.entry_points(group=group))
    with contextlib.suppress(OSError):  # where it cannot be kept it is looked for again
        path = places.home() / _FILE
        files.make_folder(path.parent)
        files.write_atomic(path, json.dumps({"group": group, "folders": folders, "found": found}), durable=False)
    return found


def _folders() -> list[list[Any]]:
    """The folders that packages are found in, each with the time of its last change."""
    known = []
    for folder in sys.path:
        with contextlib.suppress(OSError, ValueError):
            known.append([folder, os.stat(folder or os.curdir).st_mtime_ns if folder else 0])
    return known


def _kept() -> dict[str, Any]:
    try:
        value = json.loads((places.home() / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
