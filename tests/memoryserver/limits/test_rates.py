from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from memoryserver.limits import rates


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000_000.0 * 60]
    monkeypatch.setattr("memoryserver.limits.rates.time.time", lambda: now[0])
    return now


def test_uses_up_to_the_limit_are_allowed_and_the_next_is_not(db: None, clock: list[float]) -> None:
    uses = [rates.count("key", limit=2, seconds=60) for _ in range(4)]

    assert [(use.remaining, use.exceeded) for use in uses] == [(1, False), (0, False), (0, True), (0, True)]


def test_limit_starts_again_with_the_next_window(db: None, clock: list[float]) -> None:
    assert rates.count("key", limit=1, seconds=60).reset == 60
    clock[0] += 45
    assert rates.count("key", limit=1, seconds=60) == rates.Usage(limit=1, remaining=0, reset=15, exceeded=True)
    clock[0] += 15
    assert rates.count("key", limit=1, seconds=60) == rates.Usage(limit=1, remaining=0, reset=60, exceeded=False)


def test_keys_are_counted_apart(db: None, clock: list[float]) -> None:
    rates.count("one", limit=1, seconds=60)

    assert not rates.count("other", limit=1, seconds=60).exceeded


def test_uses_at_once_by_many_connections_are_all_counted(transactional_db: None, clock: list[float]) -> None:
    def count(_: int) -> Any:
        try:
            return rates.count("key", limit=30, seconds=60).exceeded
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(count, range(40))) == [False] * 30 + [True] * 10
