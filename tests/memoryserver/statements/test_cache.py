"""Values that a process keeps."""

from __future__ import annotations

import pytest

from memoryserver.statements.cache import Cache


def test_value_is_given_out_until_it_is_replaced_or_forgotten() -> None:
    cache: Cache[str, int] = Cache(size=2)
    assert cache.get("a") is None
    cache.put("a", 1)
    cache.put("a", 2)
    assert cache.get("a") == 2
    cache.forget("a")
    cache.forget("never kept")
    assert cache.get("a") is None


def test_value_that_was_not_used_for_longest_makes_room() -> None:
    cache: Cache[str, int] = Cache(size=2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)

    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_value_older_than_its_time_is_not_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("memoryserver.statements.cache.time.monotonic", lambda: now[0])
    cache: Cache[str, int] = Cache(size=2, seconds=60)
    cache.put("a", 1)
    now[0] += 59.9
    assert cache.get("a") == 1
    now[0] += 0.1
    assert cache.get("a") is None


def test_all_caches_of_the_process_can_be_cleared_at_once() -> None:
    caches: list[Cache[str, int]] = [Cache(size=2), Cache(size=2)]
    for cache in caches:
        cache.put("a", 1)
    caches[0].clear()
    assert [cache.get("a") for cache in caches] == [None, 1]

    Cache.clear_all()
    assert [cache.get("a") for cache in caches] == [None, None]
