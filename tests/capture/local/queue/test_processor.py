"""The queue is delivered oldest first, no file is deleted unconfirmed, no file blocks the others."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue import processor as processing
from capture.local.queue.processor import LOCK_FILE, RETRIES_FILE, Processed, QueueProcessor
from capture.local.queue.sink import Receipt, SinkRefusedError, SinkUnavailableError
from memoryserver.common import files
from tests.capture.local.queue.test_files import a_file, writer
from tests.support.laptops.durability import inodes, record_syncs


class MemorySink:
    """A sink that stores queue files in memory, unless `check` raises an error."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.attempts: list[str] = []
        self.check: Callable[[dict[str, Any]], None] = lambda _: None

    def store(self, content: dict[str, Any]) -> Receipt:
        self.attempts.append(content["context_id"])
        self.check(content)
        duplicate = content["capture_id"] in self.stored
        self.stored[content["capture_id"]] = content
        return Receipt(content["capture_id"], 0 if duplicate else len(content["learnings"]), 0, duplicate)


class Clock:
    """A clock that changes only when `time` is set."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def fill(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        content = a_file(context_id=name.partition("_")[2]).to_dict()
        (folder / f"{name}.json").write_text(json.dumps(content))


def unavailable(*context_ids: str) -> Callable[[dict[str, Any]], None]:
    def check(content: dict[str, Any]) -> None:
        if not context_ids or content["context_id"] in context_ids:
            raise SinkUnavailableError("the server is down")

    return check


def names(folder: Path) -> list[str]:
    return [path.name for path in queue.waiting(folder)]


def test_processes_oldest_first(folder: Path, sink: MemorySink):
    fill(folder, "1000_c", "999_d", "1000-2_a", "1000-10_b")
    assert QueueProcessor(folder, sink).process() == Processed(delivered=4, stored=4)
    assert sink.attempts == ["d", "c", "a", "b"]


def test_inserts_what_the_file_holds(folder: Path, sink: MemorySink):
    written = writer(folder).write(a_file())
    content = json.loads(written.read_bytes())
    QueueProcessor(folder, sink).process()
    assert sink.stored == {content["capture_id"]: content}


def test_deletes_only_after_confirmed_insert(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    seen: list[list[str]] = []
    sink.check = lambda _: seen.append(names(folder))
    QueueProcessor(folder, sink).process()
    assert (seen, names(folder)) == ([["1_a.json"]], [])


def test_receipt_of_another_capture_deletes_nothing(folder: Path):
    class WrongSink:
        def store(self, content: dict[str, Any]) -> Receipt:
            return Receipt("another")

    fill(folder, "1_a")
    done = QueueProcessor(folder, WrongSink()).process()
    assert (done.delivered, done.waiting, names(folder)) == (0, 1, ["1_a.json"])


def test_missing_queue_is_no_error(folder: Path, sink: MemorySink):
    assert QueueProcessor(folder, sink).process() == Processed()


def test_cleanup_processed_files(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b")
    QueueProcessor(folder, sink).process()
    assert sorted(os.listdir(folder)) == [LOCK_FILE]


def test_preserves_unprocessed_files(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b")
    sink.check = unavailable()
    before = {path.name: path.read_bytes() for path in queue.waiting(folder)}
    QueueProcessor(folder, sink).process()
    assert {path.name: path.read_bytes() for path in queue.waiting(folder)} == before


def test_stopped_pass_finishes_the_current_file_and_the_others_wait(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b", "3_c")
    done = QueueProcessor(folder, sink, stop=lambda: len(sink.stored) == 2).process()
    assert done == Processed(delivered=2, stored=2, waiting=1, due_in=0)
    assert names(folder) == ["3_c.json"]


def test_full_disk_does_not_block_deliveries(folder: Path, sink: MemorySink):
    fill(folder, "1_poison", "2_b")
    (folder / "0_bad.json").write_text("{")
    (folder / RETRIES_FILE).mkdir()  # a folder cannot be replaced by the file
    (folder / "failed").write_text("in the way")
    sink.check = unavailable("poison")
    done = QueueProcessor(folder, sink).process()
    assert (done.delivered, names(folder)) == (1, ["0_bad.json", "1_poison.json"])


def test_file_that_cannot_be_delivered_blocks_no_other(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_poison", "3_b")
    sink.check = unavailable("poison")
    done = QueueProcessor(folder, sink).process()
    assert (done.delivered, names(folder)) == (2, ["2_poison.json"])


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"{}", b"\xff", b"[" * 100_000, b'{"capture_id": "x"}'])
def test_malformed_file_fails_with_a_reason_and_one_alert_and_blocks_no_other(
    folder: Path, sink: MemorySink, content: bytes
):
    fill(folder, "1_a", "3_b")
    (folder / "2_bad.json").write_bytes(content)
    alerts: list[str] = []
    done = [QueueProcessor(folder, sink, alert=alerts.append).process() for _ in range(2)]
    assert done == [Processed(delivered=2, stored=2, failed=1), Processed()]
    ((path, reason),) = queue.failed(folder)
    assert (path.name, path.read_bytes(), bool(reason), len(alerts)) == ("2_bad.json", content, True, 1)


def test_refused_file_fails(folder: Path, sink: MemorySink):
    def refuse(content: dict[str, Any]) -> None:
        raise SinkRefusedError("refused (422): learnings.0.type")

    fill(folder, "1_a", "2_b")
    sink.check = refuse
    assert QueueProcessor(folder, sink).process() == Processed(failed=2)
    assert [reason for _, reason in queue.failed(folder)] == ["refused (422): learnings.0.type"] * 2


def test_folder_in_place_of_a_file_fails(folder: Path, sink: MemorySink):
    fill(folder, "2_b")
    (folder / "1_a.json").mkdir()
    assert QueueProcessor(folder, sink).process() == Processed(delivered=1, stored=1, failed=1)


def test_second_processor_waits_and_then_names_the_process_of_the_first(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    said = f"for more than 0.05 s by process {os.getpid()};"
    with files.lock(folder / LOCK_FILE), pytest.raises(files.LockTimeoutError, match=said):
        QueueProcessor(folder, sink).process(lock_timeout=0.05)
    assert names(folder) == ["1_a.json"]


def test_learnings_that_the_server_knew_are_counted(folder: Path):
    class KnowingSink:
        def store(self, content: dict[str, Any]) -> Receipt:
            return Receipt(content["capture_id"], stored=1, known=2)

    fill(folder, "1_a", "2_b")
    assert QueueProcessor(folder, KnowingSink()).process() == Processed(delivered=2, stored=2, known=4)


def test_files_that_vanish_meanwhile_block_no_other(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b", "3_c", "4_d")

    def vanish(content: dict[str, Any]) -> None:
        for path in folder.glob("[123]_*.json"):
            path.unlink()

    sink.check = vanish
    assert QueueProcessor(folder, sink).process() == Processed(delivered=2, stored=2)
    assert sink.attempts == ["a", "d"]


def test_file_that_cannot_be_read_waits_and_blocks_no_other(folder: Path, sink: MemorySink):
    fill(folder, "3_c")
    for name in ("1_a.json", "2_b.json"):
        (folder / name).symlink_to(name)  # a loop
    done = QueueProcessor(folder, sink, now=Clock()).process()
    assert (done.delivered, done.waiting, done.due_in) == (1, 2, 5)
    assert "Too many levels of symbolic links" in done.error


def test_file_larger_than_the_limit_fails_and_one_of_its_size_does_not(
    folder: Path, sink: MemorySink, monkeypatch: pytest.MonkeyPatch
):
    fill(folder, "1_a")
    size = (folder / "1_a.json").stat().st_size
    (folder / "2_b.json").write_bytes((folder / "1_a.json").read_bytes() + b" ")
    monkeypatch.setattr(processing, "LARGEST_FILE", size)
    assert QueueProcessor(folder, sink).process() == Processed(delivered=1, stored=1, failed=1)
    assert [(path.name, reason) for path, reason in queue.failed(folder)] == [("2_b.json", f"larger than {size} bytes")]


def test_removal_of_a_delivered_file_is_durable(folder: Path, sink: MemorySink, monkeypatch: pytest.MonkeyPatch):
    fill(folder, "1_a")
    synced = record_syncs(monkeypatch)
    QueueProcessor(folder, sink).process()
    assert synced == inodes(folder)


def test_pass_removes_what_crashed_writers_left(folder: Path, sink: MemorySink):
    folder.mkdir()
    for name in (".old.json.1.aa.tmp", ".new.json.2.bb.tmp"):
        (folder / name).touch()
    os.utime(folder / ".old.json.1.aa.tmp", (1, 1))
    QueueProcessor(folder, sink).process()
    assert sorted(os.listdir(folder)) == [".new.json.2.bb.tmp", LOCK_FILE]


def test_delivery_and_failure_are_logged(folder: Path, sink: MemorySink, caplog: pytest.LogCaptureFixture):
    fill(folder, "1_a", "2_b")
    sink.check = unavailable("b")
    with caplog.at_level(logging.INFO, "capture.local.queue"):
        QueueProcessor(folder, sink).process()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "1_a.json delivered: 1 new learnings, 0 known"),
        ("WARNING", "2_b.json could not be delivered (attempt 1): the server is down"),
    ]
