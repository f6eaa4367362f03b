from __future__ import annotations

import pytest

from memoryserver.common import backoff


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 5.0), (1, 5.0), (2, 10.0), (3, 20.0), (7, 180.0), (10_000, 180.0)]
)
def test_pause_doubles_up_to_the_longest(failures: int, seconds: float) -> None:
    assert backoff.pause(failures, first=5.0, longest=180.0) == seconds


def test_pause_is_never_shorter_than_the_server_asks_for() -> None:
    assert backoff.pause(1, first=5.0, longest=180.0, retry_after=600.0) == 600.0
    assert backoff.pause(9, first=5.0, longest=180.0, retry_after=1.0) == 180.0
