from __future__ import annotations

import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from memoryserver.client import discarded
from memoryserver.client.discarded import Discarded


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path


def test_nothing_is_counted_at_first() -> None:
    assert (discarded.load(), bool(discarded.load())) == (Discarded(), False)


def test_counts_add_up_and_the_last_time_is_kept() -> None:
    discarded.add(tool_calls=2, size=100)
    discarded.add(observations=1, size=20)
    total = discarded.load()

    assert (total.tool_calls, total.observations, total.bytes, bool(total)) == (2, 1, 120, True)
    assert total.last == pytest.approx(time.time(), abs=60)


def test_nothing_discarded_writes_no_file(home: Path) -> None:
    discarded.add(size=10)

    assert list(home.iterdir()) == []


@pytest.mark.parametrize("content", ["", "[]", '{"tool_calls": "x"}'])
def test_damaged_count_starts_over(home: Path, content: str) -> None:
    (home / "outbox").mkdir()
    (home / "outbox/dropped.json").write_text(content)
    assert discarded.load() == Discarded()

    discarded.add(tool_calls=1)

    assert discarded.load().tool_calls == 1


def _add(times: int) -> None:
    for _ in range(times):
        discarded.add(tool_calls=1, observations=2, size=10)


def test_counts_of_several_processes_are_all_there() -> None:
    workers = [get_context("spawn").Process(target=_add, args=(50,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    total = discarded.load()
    assert (total.tool_calls, total.observations, total.bytes) == (200, 400, 2000)
