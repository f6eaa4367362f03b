"""How much a test tries where trying all takes long: few random inputs here, and a part of all combinations.

`bench/proofs/properties.py` tries many inputs and all combinations.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = "TESTS_EXAMPLES_TIMES"
FEW = 15


def examples(few: int) -> int:
    """Return `few`, or that many times as many as the environment says."""
    return few * int(os.environ.get(TIMES, "1"))


def tries_all() -> bool:
    """Return whether a test tries every combination, and not only enough of them to see each value once."""
    return examples(1) > 1


def use_profile() -> None:
    """Have tests that say nothing else try FEW inputs, however long one takes: the machine may be busy with others."""
    slow = [HealthCheck.too_slow]
    settings.register_profile("tests", max_examples=examples(FEW), deadline=None, suppress_health_check=slow)
    settings.load_profile("tests")
