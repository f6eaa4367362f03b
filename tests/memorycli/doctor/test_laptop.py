"""Problems of the laptop, in real files."""

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
from capture.local.scanning.state import CaptureStateManager
from ghap.local.sync import sync_journal
from memorycli.delivery import connection
from memorycli.delivery.observations import OUTBOX_KIND
from memorycli.doctor import laptop
from memoryserver.client import sync_state
from memoryserver.client.outbox import Outbox
from memoryserver.common import files
from tests.ghap.local.test_sync import fill
from tests.memorycli.commands.test_ghap import START
from tests.support.laptops.doctor import findings, only_finding, write_heartbeat
from tests.support.laptops.laptop import Laptop


@contextmanager
def unprivileged() -> Iterator[None]:
    """Run the block as a user other than root, whom no mode stops."""
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

    assert findings()["home folder"][0][0] == f"{tmp_path / 'file'} must be a folder and is a file"


@pytest.mark.parametrize("mode", [0o500, 0o300, 0o000])
def test_home_without_permissions_is_found(mode: int, memory: Laptop, monkeypatch: Any) -> None:
    findings()  # import all modules while they can be read
    with unprivileged(), tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode)
        monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
        monkeypatch.setenv("HOME", folder)
        monkeypatch.chdir(folder)
        results = findings()
        home.chmod(0o700)
        monkeypatch.chdir("/")

    assert results["home folder"][0][0] == f"you cannot read and write {home}"


def test_nearly_full_disk_is_found(memory: Laptop, monkeypatch: Any) -> None:
    monkeypatch.setattr(laptop, "LOW_BYTES", 1 << 62)

    assert "MB left" in only_finding("disk")[0]


def test_invalid_settings_are_found(memory: Laptop) -> None:
    Path(".memoryserver.json").write_text('{"server_url": "http://evil", "journal_dir": ".."}')

    assert len(findings()["settings"]) == 2


def test_damaged_journal_is_found_and_fixed(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "current_ghap.json").write_text("{")
    what, fix = only_finding("journal")
    assert "is damaged" in what

    memory(*fix.split("(")[0].split()[1:])
    assert findings() == {}


def test_invalid_line_of_the_journal_is_found(memory: Laptop) -> None:
    memory(*START)
    (memory.journal / "session_entries.jsonl").write_text("torn\n")

    assert "has invalid lines (1), the first: " in only_finding("journal")[0]


def test_idle_or_failing_capture_daemon_is_found(memory: Laptop) -> None:
    write_heartbeat(memory, age=3600)
    assert "has been idle for 60 minutes" in only_finding("capture")[0]

    write_heartbeat(memory, error="no\nspace left")
    assert only_finding("capture")[0] == "the last capture cycle failed: no space left"


def test_paths_that_capture_leaves_out_are_found_until_they_are_gone(memory: Laptop) -> None:
    root = files.make_folder(memory.home.parent / "transcripts")
    for number in range(7):
        (root / f"{number}.jsonl").symlink_to(root / f"gone-{number}")
    memory("capture", "scan", "--root", str(root))
    what = findings()["transcripts"]
    assert [problem for problem, _ in what] == [
        *(f"{root}/{number}.jsonl links to a file that does not exist" for number in range(5)),
        "capture left out 2 more paths",
    ]
    for link in root.iterdir():
        link.unlink()
    memory("capture", "scan", "--root", str(root))
    assert "transcripts" not in findings()


def test_corrupt_states_of_capture_are_found_until_they_are_deleted(memory: Laptop) -> None:
    folder = files.make_folder(memory.home / "capture_state")
    (folder / "claude-code-s1.json").write_text("{")
    write_heartbeat(memory)
    assert "capture states" not in findings()

    CaptureStateManager(folder).load("claude-code-s1")

    (aside,) = folder.glob("*.corrupt-*")
    what, fix = only_finding("capture states")
    assert what == f"1 corrupt state of capture set aside, the last as {aside.name}"
    assert fix == f"check the disk, then rm {folder}/*.corrupt-* (their transcripts were read again)"
    aside.unlink()
    assert "capture states" not in findings()


def test_failed_and_stuck_queue_files_are_found(memory: Laptop) -> None:
    folder = files.make_folder(memory.home / "learning_queue")
    for name in ("1_a.json", "2_b.json"):
        (folder / name).write_text("{}")
    queue.set_aside(folder / "1_a.json", "refused\x1b[31m for good")
    for _ in range(5):
        Retries(folder / RETRIES_FILE).fail("2_b.json", "offline", time.time())

    (failed, fix), (stuck, _) = findings()["learning queue"]

    assert failed == "1 queue file failed for good, the first is 1_a.json: refused for good"
    assert stuck == "1 queue file stuck, 2_b.json after 5 attempts: offline"
    assert fix.endswith("memory capture retry && memory capture push")


def test_refused_journal_entries_are_found(memory: Laptop) -> None:
    fill(memory.journal, 2, 1)
    results = [{"status": "refused", "reason": f"no goal {number}"} for number in range(3)]
    sync_journal(memory.journal, "p", lambda *_: {"results": results})

    what = "the server refused 3 journal entries, the last: no goal 2"
    assert only_finding("outbox") == (what, "memory sync --retry-failed")


def test_refused_observations_are_found(memory: Laptop) -> None:
    outbox = Outbox(memory.home, OUTBOX_KIND)
    outbox.set_aside("a", 1, "too long")

    assert only_finding("outbox") == (
        "the server refused 1 observation, the last: too long",
        "memory sync --retry-failed once the cause is fixed; --drop-failed gives them up",
    )


def test_repeatedly_failing_deliveries_are_found(memory: Laptop) -> None:
    for _ in range(5):
        sync_state.fail("http://x", "journal: refused (401)")

    assert only_finding("outbox")[0] == "5 deliveries in a row failed, the last: journal: refused (401)"


def test_nearly_full_outbox_is_found(memory: Laptop, monkeypatch: Any) -> None:
    monkeypatch.setenv("MEMORYSERVER_OUTBOX_MB", "1")
    Outbox(memory.home, OUTBOX_KIND).add("a", "x" * 950_000)

    assert "the outbox is nearly full (0 of 1 MB)" in only_finding("outbox")[0]


def test_disabled_observer_is_found(memory: Laptop) -> None:
    call = {"tool_name": "Read", "tool_input": {}, "result": "x", "session_id": "s"}
    memory("trajectory", "record", stdin=json.dumps(call).encode())
    [folder] = (memory.home / "trajectory").glob("[!.]*")
    (folder / "state.json").write_text(
        json.dumps({"observers": {"Stall": {"failures_in_a_row": 3, "last_failure": "x"}}})
    )

    assert only_finding("observers")[0] == "the observer Stall is disabled after repeated failures: x"


def test_memory_under_the_name_before_is_found(memory: Laptop) -> None:
    connection.store("http://127.0.0.1:1", "t")
    assert "project" not in findings()
    memory.rename()

    assert findings()["project"] == [
        (
            "the memory of github.com/acme/store is under its former name, project ü",
            "memory projects rename, or memory projects rename --dismiss if that was another project",
        )
    ]
