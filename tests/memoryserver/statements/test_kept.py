"""Values that a process keeps."""

from __future__ import annotations

import pytest

from memoryserver.statements.kept import Kept


def test_value_is_given_out_until_it_is_replaced_or_forgotten() -> None:
    kept: Kept[str, int] = Kept(size=2)
    assert kept.get("a") is None
    kept.put("a", 1)
    kept.put("a", 2)
    assert kept.get("a") == 2
    kept.forget("a")
    kept.forget("never kept")
    assert kept.get("a") is None


def test_value_that_was_not_used_for_longest_makes_room() -> None:
    kept: Kept[str, int] = Kept(size=2)
    kept.put("a", 1)
    kept.put("b", 2)
    kept.get("a")
    kept.put("c", 3)

    assert [kept.get(key) for key in "abc"] == [1, None, 3]


def test_value_older_than_its_time_is_not_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("memoryserver.statements.kept.time.monotonic", lambda: now[0])
    kept: Kept[str, int] = Kept(size=2, seconds=60)
    kept.put("a", 1)
    now[0] += 59.9
    assert kept.get("a") == 1
    now[0] += 0.1
    assert kept.get("a") is None
