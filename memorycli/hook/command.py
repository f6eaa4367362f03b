"""The command that an installer writes into an agent's settings to have `memory hook` run.

The interpreter itself, not the `memory` script: found without a PATH, and a third quicker. `-I` keeps the project out
of it: neither its folder nor PYTHONPATH can put another module in place of one of ours, or of the standard library's.
`-S` spares the look through the folders of installed packages, of which the hook needs none; observers that packages
bring are found all the same, when one is due.
"""

from __future__ import annotations

import os
import sys


def argv() -> list[str]:
    """Return the program and its arguments."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    return [sys.executable, "-I", "-S", script]
