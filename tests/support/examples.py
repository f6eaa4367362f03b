"""How many random inputs a test with `hypothesis` tries: few here, many with `bench/proofs/properties.py`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = "TESTS_EXAMPLES_TIMES"
FEW = 30


def examples(few: int) -> int:
    """Return `few`, or that many times as many as the environment says."""
    return few * int(os.environ.get(TIMES, "1"))


def use_profile() -> None:
    """Have tests that say nothing else try FEW inputs, however long one takes: the machine may be busy with others."""
    slow = [HealthCheck.too_slow]
    settings.register_profile("tests", max_examples=examples(FEW), deadline=None, suppress_health_check=slow)
    settings.load_profile("tests")
