from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.home.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "interval"),
    [(0, 0, (0, 1)), (5, 10, (0.237, 0.763)), (0, 10, (0, 0.278)), (1, 1, (0.207, 1)), (90, 100, (0.826, 0.945))],
)
def test_interval_is_wilsons(successes: int, trials: int, interval: tuple[float, float]) -> None:
    assert wilson(successes, trials) == pytest.approx(interval, abs=0.001)


@given(st.integers(0, 500), st.integers(1, 500))
def test_interval_contains_the_share(successes: int, trials: int) -> None:
    successes = min(successes, trials)
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials + 1e-9
    assert successes / trials - 1e-9 <= high <= 1
