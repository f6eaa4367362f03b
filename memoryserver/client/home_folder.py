"""The folder that holds everything memoryserver keeps on a laptop."""

from __future__ import annotations

import os
from pathlib import Path


def path() -> Path:
    """`$MEMORYSERVER_HOME`, by default `~/.memoryserver`; this call does not make it."""
    return Path(os.environ.get("MEMORYSERVER_HOME") or Path.home() / ".memoryserver").expanduser()
