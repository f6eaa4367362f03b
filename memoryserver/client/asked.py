"""On which occasions agents were asked something, so that each is asked about once: an empty file for each.

    $MEMORYSERVER_HOME/asked/<digest of the occasion>

At most 2,000 occasions are remembered; the oldest are forgotten first.
"""

from __future__ import annotations

import os
from pathlib import Path

from memoryserver.client import home_folder
from memoryserver.common import files
from memoryserver.common.digest import digest

MAX_FILES = 2000
_FOLDER = "asked"


def was_asked(*occasion: str) -> bool:
    """Return whether an agent was asked on `occasion`, named by words that tell it from all others."""
    return os.path.exists(_path(occasion))


def first_time(*occasion: str) -> bool:
    """Record that an agent is asked on `occasion`, and return whether nobody did before.

    Of several processes that call it at once, one gets True. Raises OSError: what cannot be recorded must not be asked.
    """
    path = _path(occasion)
    folder = files.make_folder(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    os.close(descriptor)
    files.make_room(folder, MAX_FILES)
    return True


def _path(occasion: tuple[str, ...]) -> Path:
    return home_folder.path() / _FOLDER / digest("\x1f".join(occasion))
