"""The queue's actions with --json; test_capture.py has their output for a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.service import heartbeat
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def failed(memory: Laptop) -> Path:
    """The queue, with two files that failed."""
    folder = memory.home / QUEUE_FOLDER
    folder.mkdir(parents=True)
    for name in ("1_x.json", "2_x.json"):
        (folder / name).write_text("{}")
        queue.set_aside(folder / name, f"reason of {name}")
    return folder


def waiting(folder: Path) -> list[str]:
    return [path.name for path in queue.waiting(folder)]


def test_failed_files_are_listed_with_their_reasons(memory: Laptop, failed: Path) -> None:
    expected = [{"name": name, "reason": f"reason of {name}"} for name in ("1_x.json", "2_x.json")]

    assert memory("capture", "failed", "--json").json() == expected
    assert memory("capture", "status", "--json").json()["failed"] == expected


def test_retry_without_names_puts_all_back(memory: Laptop, failed: Path) -> None:
    assert memory("capture", "retry", "--json").json() == {"put_back": ["1_x.json", "2_x.json"]}
    assert waiting(failed) == ["1_x.json", "2_x.json"]


def test_name_that_comes_twice_is_put_back_once(memory: Laptop, failed: Path) -> None:
    assert memory("capture", "retry", "2_x.json", "2_x.json", "--json").json() == {"put_back": ["2_x.json"]}
    assert waiting(failed) == ["2_x.json"]


def test_unknown_name_is_an_error_and_puts_nothing_back(memory: Laptop, failed: Path) -> None:
    result = memory("capture", "retry", "1_x.json", "9_x.json")

    assert (result.status, result.out, "9_x.json" in result.err) == (1, "", True)
    assert waiting(failed) == []


def test_status_shows_the_last_error_of_a_daemon_that_ended(memory: Laptop) -> None:
    heartbeat.write(memory.home, heartbeat.Heartbeat(1, "2026-01-02T03:04:05Z", "", "no\nspace left", 7))

    assert memory("capture", "status", "--json").json()["last_error"] == "no space left".replace(" ", "\n", 1)
    assert "error      no space left" in memory("capture", "status").out.splitlines()


def test_push_has_its_old_name_still(memory: Laptop) -> None:
    said = [memory("capture", name) for name in ("push", "process")]

    assert said[0] == said[1]
    assert said[0].err == "memory: not logged in; run: memory login URL\n"
