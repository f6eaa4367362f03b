"""How many random inputs a test with `hypothesis` tries: few here, many with `bench/proofs/properties.py`."""

from __future__ import annotations

import os

TIMES = "TESTS_EXAMPLES_TIMES"


def examples(few: int) -> int:
    """Return `few`, or that many times as many as the environment says."""
    return few * int(os.environ.get(TIMES, "1"))
