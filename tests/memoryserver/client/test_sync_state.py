from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from memoryserver.client import sync_state
from memoryserver.client.sync_state import FIRST_PAUSE, LONGEST_PAUSE, SyncState

SERVER = "http://server"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home ü"))
    return tmp_path / "home ü"


def test_pauses_double_up_to_an_hour() -> None:
    pauses = [
        state.not_before - state.tried
        for _ in range(10)
        for state in [sync_state.fail(SERVER, "x", chance=lambda: 1.0)]
    ]

    assert pauses == [pytest.approx(min(FIRST_PAUSE * 2**n, LONGEST_PAUSE)) for n in range(10)]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_pauses_differ_by_chance_and_never_by_more_than_half(chance: float) -> None:
    state = sync_state.fail(SERVER, "x", chance=lambda: chance)

    assert state.not_before - state.tried == pytest.approx(FIRST_PAUSE * (0.5 + chance / 2))


def test_pause_outlives_the_process_and_ends_with_success() -> None:
    sync_state.fail(SERVER, "offline")
    kept = sync_state.load(SERVER)
    assert (kept.is_due(time.time()), kept.is_due(kept.not_before), kept.error) == (False, True, "offline")

    sync_state.succeed(SERVER)

    assert sync_state.load(SERVER).is_due(time.time())
    assert sync_state.load(SERVER).failures == 0


def test_clock_that_was_set_back_does_not_hold_it_up() -> None:
    state = sync_state.fail(SERVER, "x")

    assert state.is_due(state.tried - 2 * LONGEST_PAUSE)


def test_another_server_begins_with_a_clean_sheet() -> None:
    sync_state.fail(SERVER, "x")

    assert sync_state.load("http://other") == SyncState("http://other")
    assert sync_state.load().server == SERVER


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"server": 1}', json.dumps({"server": "x", "tried": "y"})])
def test_damaged_file_is_a_clean_sheet(content: str, home: Path) -> None:
    home.mkdir()
    (home / "sync.json").write_text(content)

    assert sync_state.load(SERVER) == SyncState(SERVER)


def test_pause_is_as_long_as_the_server_asks_for_and_never_longer_than_the_longest() -> None:
    now = time.time()
    asked = sync_state.fail(SERVER, "x", retry_after=600.0)
    assert 599 < asked.not_before - now < 605
    assert not sync_state.load(SERVER).is_due(now + 590)
    assert sync_state.load(SERVER).is_due(now + 610)

    assert sync_state.fail(SERVER, "x", retry_after=1e9).not_before <= time.time() + LONGEST_PAUSE


def test_time_of_each_attempt_and_the_beginning_of_its_error_are_kept() -> None:
    before = time.time()
    failed = sync_state.fail(SERVER, "x" * 1000)
    assert before <= failed.tried <= time.time()
    assert sync_state.load(SERVER) == failed
    assert (failed.error, failed.failures, failed.succeeded) == ("x" * 500, 1, 0.0)

    sync_state.succeed(SERVER)
    succeeded = sync_state.load(SERVER)
    assert failed.tried <= succeeded.tried == succeeded.succeeded <= time.time()
    assert succeeded.error == ""
