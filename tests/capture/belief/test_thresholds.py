from __future__ import annotations

import pytest

from capture.belief.thresholds import OF_ONE_TASK, threshold
from capture.local import LEARNING_TYPES


@pytest.mark.parametrize(
    ("source", "type", "expected"),
    [
        ("agent", "solution", 0.3),
        ("observed", "error_recovery", 0.8),
        ("stated", "convention", 0.8),
        ("stated", "solution", 0.95),
        ("later version's", "convention", 0.8),
        ("later version's", "solution", 0.95),
    ],
)
def test_threshold_is_higher_the_less_direct_the_source(source: str, type: str, expected: float) -> None:  # noqa: A002
    assert threshold(source, type) == expected


def test_types_of_one_task_are_types_of_learnings() -> None:
    assert set(LEARNING_TYPES) >= OF_ONE_TASK
