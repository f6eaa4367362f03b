"""The note about what was cut out of a text as secret."""

from __future__ import annotations

import sys
from typing import Any

from memoryserver.common import cut_out


def print_note(*values: Any) -> None:
    """Print on standard error what was cut out of `values` before they were stored, if anything was."""
    if note := cut_out.note_of(*values):
        print(f"memory: note: {note}", file=sys.stderr)
