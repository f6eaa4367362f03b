"""How an agent is told to call the memory: by the tool's name, and by a command that its shell can find.

The hook may be installed where `memory` is not on the agent's PATH; then the command is named by its path.
"""

from __future__ import annotations

import os
import sys


def call(tool: str, words: str) -> str:
    """Return the `tool` and the command of `memory` with `words`, of which the agent has one at least."""
    program = _program()
    return f"{tool}, or: {program} {words}" if program else tool


def _program() -> str:
    """Return "memory" if it is on the PATH, else the path of the command beside the interpreter, else ""."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if any(folder and os.access(os.path.join(folder, "memory"), os.X_OK) for folder in folders):
        return "memory"
    beside = os.path.join(os.path.dirname(sys.executable), "memory")
    return beside if os.access(beside, os.X_OK) else ""
