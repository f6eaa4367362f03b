"""The folders in which Claude Code keeps its settings and transcripts, as its environment variable names them."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "CLAUDE_CONFIG_DIR"


def named_folders() -> list[Path]:
    """Return the folders in `$CLAUDE_CONFIG_DIR`: several are separated by commas, as tools that read them all have it.

    A folder whose own name has a comma is one, if it exists: so the agent itself reads the variable.
    """
    value = os.environ.get(VARIABLE, "").strip()
    if value and Path(value).expanduser().is_dir():
        return [Path(value).expanduser()]
    return [Path(part.strip()).expanduser() for part in value.split(",") if part.strip()]
