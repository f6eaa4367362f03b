"""The folder that holds everything memoryserver keeps on a laptop."""

from __future__ import annotations

import os
from pathlib import Path

EXCLUDED_FILE = "excluded"  # both name the folders that are kept out of the memory; `exclusions` reads them
EXCLUDE_VARIABLE = "MEMORYSERVER_EXCLUDE"


def path() -> Path:
    """`$MEMORYSERVER_HOME`, by default `~/.memoryserver`; this call does not make it."""
    return Path(os.environ.get("MEMORYSERVER_HOME") or Path.home() / ".memoryserver").expanduser()


def excludes_any() -> bool:
    """Return whether any folder may be kept out of the memory; costs one `stat`, since every hook asks."""
    return bool(os.environ.get(EXCLUDE_VARIABLE)) or os.path.lexists(path() / EXCLUDED_FILE)
