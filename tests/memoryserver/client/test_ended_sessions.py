"""The ends of sessions, as an agent's hook records them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memoryserver.client import ended_sessions
from memoryserver.client.ended_sessions import EndedSessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_end_is_the_time_of_the_last_record() -> None:
    before = time.time_ns() - 20_000_000  # clocks of files are coarse
    ended_sessions.record("s1")
    first = EndedSessions().end_of("s1")
    time.sleep(0.02)
    ended_sessions.record("s1")
    ended = EndedSessions()

    assert first is not None
    assert before <= first < (ended.end_of("s1") or 0) <= time.time_ns()
    assert (ended.end_of("s2"), ended.latest()) == (None, ended.end_of("s1"))


def test_each_record_changes_the_time_of_the_last_one() -> None:
    changes = [ended_sessions.last_change()]
    for session in ("s1", "s2", "s1"):
        time.sleep(0.02)  # clocks of files are coarse
        ended_sessions.record(session)
        changes.append(ended_sessions.last_change())

    assert changes[0] == 0
    assert changes == sorted(set(changes))


def test_without_records_nothing_has_ended() -> None:
    assert (EndedSessions().end_of("s1"), EndedSessions().latest()) == (None, 0)


def test_hostile_id_names_no_other_file(home: Path) -> None:
    ended_sessions.record("../../x")

    assert EndedSessions().end_of("../../x") is not None
    assert [path.name for path in home.iterdir()] == ["ended_sessions"]


def test_number_of_records_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended_sessions, "MAX_FILES", 10)
    for number in range(30):
        ended_sessions.record(str(number))

    assert len(list((home / "ended_sessions").iterdir())) <= 10
