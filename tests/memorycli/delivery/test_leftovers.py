"""Temporary files of killed processes are removed by the next sync, in the foreground and in the background."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memorycli.delivery import connection, observations
from memorycli.delivery.leftovers import sweep
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.laptop import Laptop

OLD = 2 * 3600.0


def leave(path: Path, age: float) -> Path:
    """Leave a temporary file as `write_atomic` makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_old_temporary_files_are_removed_and_those_of_living_processes_are_not(memory: Laptop) -> None:
    old = [
        leave(memory.home / ".sync.json.12.ab.tmp", OLD),
        leave(memory.home / "outbox/learnings/.x.json.12.ab.tmp", OLD),
        leave(memory.project / ".wink/trajectory/.assessment.md.12.ab.tmp", OLD),
    ]
    new = leave(memory.home / "outbox/learnings/.y.json.12.ab.tmp", 60)
    other = leave(memory.home / "outbox/learnings/z.json", OLD)

    sweep()

    assert [path.exists() for path in (*old, new, other)] == [False, False, False, True, True]


def test_laptop_without_a_home_folder_has_nothing_to_remove(memory: Laptop) -> None:
    sweep()

    assert not memory.home.exists()


@pytest.mark.parametrize("words", [["sync"], ["sync", "--background"]], ids=["foreground", "background"])
def test_sync_removes_them(memory: Laptop, server: HttpServer, words: list[str]) -> None:
    connection.store(server.url, server.token)
    observations.save(type="t", source="a:b", message="x")
    path = leave(memory.home / "context/.x.json.12.ab.tmp", OLD)

    memory(*words)

    assert not path.exists()
