from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.limits import rates
from memoryserver.statements.cache import Cache
from tests.support.processes.redis_process import RedisProcess


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


@pytest.fixture
def redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisProcess]:
    process = RedisProcess()
    settings.REDIS_URL = process.url
    monkeypatch.setattr(rates, "_redis_pause_ends", 0.0)
    yield process
    process.remove()


def test_uses_are_counted_in_redis_if_there_is_one(db: None, clock: list[float], redis: RedisProcess) -> None:
    with CaptureQueriesContext(connection) as queries:
        uses = [rates.count("key", limit=2, seconds=60) for _ in range(3)]
        clock[0] += 60
        next_window = rates.count("key", limit=2, seconds=60)

    assert [(use.remaining, use.exceeded) for use in uses] == [(1, False), (0, False), (0, True)]
    assert (next_window.remaining, len(queries)) == (1, 0)
    keys = list(redis.client().scan_iter())
    assert [redis.client().ttl(key) > 0 for key in keys] == [True, True]


def test_postgres_counts_while_redis_is_down(db: None, clock: list[float], redis: RedisProcess) -> None:
    rates.count("key", limit=2, seconds=60)
    redis.stop()

    uses = [rates.count("key", limit=2, seconds=60) for _ in range(3)]

    assert [use.exceeded for use in uses] == [False, False, True]


def counted(key: str, number: int, limit: int) -> tuple[list[rates.Usage], int]:
    """Count `number` uses; return what came of them, and the number of statements."""
    with CaptureQueriesContext(connection) as sent:
        uses = [rates.count(key, limit=limit, seconds=60) for _ in range(number)]
    return uses, len(sent)


def test_many_uses_of_a_high_limit_are_taken_several_at_once_and_end_at_the_limit(db: None, clock: list[float]) -> None:
    uses, statements = counted("busy", 503, 500)

    assert [use.remaining for use in uses] == [*range(499, -1, -1), 0, 0, 0]
    assert [use.exceeded for use in uses] == [False] * 500 + [True] * 3
    assert statements <= 60


def test_two_processes_are_never_allowed_more_than_the_limit(
    db: None, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_process: list[Cache[str, rates._Taken]] = [Cache(10), Cache(10)]
    allowed = 0
    for number in range(700):
        monkeypatch.setattr(rates, "_taken", of_process[number % 2])
        allowed += not rates.count("shared", limit=500, seconds=60).exceeded

    assert 480 <= allowed <= 500


def test_uses_that_were_taken_before_do_not_count_in_the_next_window(db: None, clock: list[float]) -> None:
    counted("window", 40, 500)
    clock[0] += 60

    assert rates.count("window", limit=500, seconds=60).remaining == 499


def test_uses_taken_at_once_by_many_connections_end_at_the_limit(transactional_db: None, clock: list[float]) -> None:
    def count(_: int) -> int:
        try:
            return sum(not rates.count("threads", limit=300, seconds=60).exceeded for _ in range(60))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert 290 <= sum(pool.map(count, range(8))) <= 300
