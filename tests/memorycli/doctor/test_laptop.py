"""What can be wrong with the laptop's own part, made wrong with real files."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue.processor import RETRIES_FILE
from capture.local.queue.retries import Retries
from memorycli.commands.log import OUTBOX_KIND
from memorycli.doctor import laptop
from memoryserver.client import sync_state
from memoryserver.client.outbox import Outbox
from memoryserver.common import files
from tests.memorycli.commands.test_ghap import START
from tests.memorycli.doctor.wrongs import beat, only, wrong
from tests.support.laptop import Laptop


@contextmanager
def without_rights() -> Iterator[None]:
    """As a user who is not root, to whom everything is open."""
    before = os.geteuid()
    folder = Path(tempfile.gettempdir())
    assert folder.stat().st_mode & 0o002
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_home_that_is_a_file_is_found(memory: Laptop, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "file"))

    assert "is in the way of" in wrong()["home folder"][0][0]


@pytest.mark.parametrize("mode", [0o500, 0o300, 0o000])
def test_home_that_cannot_be_used_is_found(mode: int, memory: Laptop, monkeypatch: Any) -> None:
    wrong()  # what is imported late is read as root
    with without_rights(), tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode)
        monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
        monkeypatch.setenv("HOME", folder)
        monkeypatch.chdir(folder)
        found = wrong()
        home.chmod(0o700)
        monkeypatch.chdir("/")

    assert found["home folder"][0][0] == f"{home} cannot be read and written by you"


def test_disk_that_is_nearly_full_is_found(memory: Laptop, monkeypatch: Any) -> None:
    monkeypatch.setattr(laptop, "LOW_BYTES", 1 << 62)

    assert "MB left" in only("disk")[0]


def test_setting_that_says_nothing_is_found(memory: Laptop) -> None:
    Path(".memoryserver.json").write_text('{"server_url": "http://evil", "journal_dir": ".."}')

    assert len(wrong()["settings"]) == 2


def test_journal_that_is_damaged_is_found_and_mended(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "current_ghap.json").write_text("{")
    what, mend = only("journal")
    assert "is damaged" in what

    memory(*mend.split("(")[0].split()[1:])
    assert wrong() == {}


def test_line_of_the_journal_that_is_no_entry_is_found(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "session_entries.jsonl").write_text("torn\n")

    assert "has 1 lines that are no entries" in only("journal")[0]


def test_capture_that_hangs_or_fails_is_found(memory: Laptop) -> None:
    beat(memory, age=3600)
    assert "has done nothing for 60 minutes" in only("capture")[0]

    beat(memory, error="no\nspace left")
    assert only("capture")[0] == "capture's last cycle failed: no space left"


def test_failed_and_stuck_queue_files_are_found(memory: Laptop) -> None:
    folder = files.make_folder(memory.home / "learning_queue")
    for name in ("1_a.json", "2_b.json"):
        (folder / name).write_text("{}")
    queue.set_aside(folder / "1_a.json", "refused\x1b[31m for good")
    for _ in range(5):
        Retries(folder / RETRIES_FILE).fail("2_b.json", "offline", time.time())

    (failed, mend), (stuck, _) = wrong()["queue of learnings"]

    assert failed == "1 queue files can never be stored, 1_a.json because: refused for good"
    assert stuck == "1 queue files are stuck, 2_b.json after 5 tries: offline"
    assert mend.endswith("memory capture retry && memory capture process")


def test_observations_that_were_refused_are_found(memory: Laptop) -> None:
    outbox = Outbox(memory.home, OUTBOX_KIND)
    outbox.put("a", 1)
    outbox.deliver_batches(lambda _contents: ["too long"], size=1)

    assert only("outbox") == ("the server refused 1 observations, the last: too long", "memory sync --retry-refused")


def test_deliveries_that_fail_again_and_again_are_found(memory: Laptop) -> None:
    for _ in range(5):
        sync_state.fail("http://x", "journal: refused (401)")

    assert only("outbox")[0] == "5 deliveries in a row failed, the last: journal: refused (401)"


def test_outbox_near_its_bound_is_found(memory: Laptop, monkeypatch: Any) -> None:
    monkeypatch.setenv("MEMORYSERVER_OUTBOX_MB", "1")
    Outbox(memory.home, OUTBOX_KIND).put("a", "x" * 950_000)

    assert "0 MB wait for the server, of 1" in only("outbox")[0]


def test_observer_that_was_given_up_is_found(memory: Laptop) -> None:
    call = {"tool_name": "Read", "tool_input": {}, "result": "x", "session_id": "s"}
    memory("trajectory", "record", stdin=json.dumps(call).encode())
    [folder] = (memory.home / "trajectory").glob("[!.]*")
    (folder / "state.json").write_text(
        json.dumps({"observers": {"Stall": {"failures_in_a_row": 3, "last_failure": "x"}}})
    )

    assert only("observers")[0] == "the observer Stall failed again and again and is left out: x"
