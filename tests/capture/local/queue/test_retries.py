from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.queue.retries import FIRST_PAUSE, LONGEST_PAUSE, Retries

NOW = 1_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".retries.json"


def test_pauses_double_up_to_three_minutes(path: Path) -> None:
    retries = Retries(path)
    pauses = [retries.fail("a", "away", NOW).due - NOW for _ in range(8)]

    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, LONGEST_PAUSE, LONGEST_PAUSE]


def test_pause_is_as_long_as_the_server_asks_for_and_survives_a_restart(path: Path) -> None:
    Retries(path).fail("a", "slow down", NOW, retry_after=900.0)
    retries = Retries(path)

    assert (retries.is_due("a", NOW + 899), retries.is_due("a", NOW + 900)) == (False, True)
    assert retries.next_due(["a"], NOW) == 900.0
    assert retries.is_due("b", NOW)


def test_file_is_due_where_the_clock_was_set_back(path: Path) -> None:
    retries = Retries(path)
    retries.fail("a", "away", NOW)

    assert not retries.is_due("a", NOW + FIRST_PAUSE - 1)
    assert retries.is_due("a", NOW - LONGEST_PAUSE)


def test_file_that_left_the_queue_is_removed(path: Path) -> None:
    retries = Retries(path)
    for name in "abc":
        retries.fail(name, "away", NOW)
    retries.drop("a")
    retries.keep_only(["b"])

    assert list(Retries(path).all()) == ["b"]


def test_time_of_the_first_failure_is_kept(path: Path) -> None:
    retries = Retries(path)
    retries.fail("a", "away", NOW)
    retries.fail("a", "away again", NOW + 1000)

    assert (retries.failing_since(NOW), retries.failing_since(NOW - 1)) == (["a"], [])
    assert (retries.all()["a"].attempts, retries.all()["a"].error) == (2, "away again")


def test_error_is_kept_up_to_500_characters_and_a_first_failure_after_the_clock_was_set_back_is_the_earlier(
    path: Path,
) -> None:
    retries = Retries(path)
    retries.fail("a", "x" * 1000, NOW)
    retry = retries.fail("a", "x" * 1000, NOW - 100)

    assert (retry.error, retry.since, retry.attempts) == ("x" * 500, NOW - 100, 2)
    assert Retries(path).all() == {"a": retry}


def test_first_of_several_files_decides_when_the_next_is_due(path: Path) -> None:
    retries = Retries(path)
    retries.fail("a", "away", NOW, retry_after=60.0)
    retries.fail("b", "away", NOW)

    assert (retries.next_due(["a", "b"], NOW), retries.next_due(["a"], NOW), retries.next_due([], NOW)) == (5, 60, None)
    assert (retries.next_due(["a", "b"], NOW + 5), retries.is_due("b", NOW + 5)) == (0, True)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": {"a": {"unknown": 1}}}'])
def test_unusable_file_is_logged_and_everything_is_due(
    path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text(content)
    retries = Retries(path)

    assert (retries.all(), retries.is_due("a", NOW)) == ({}, True)
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"{path} cannot be used (")
