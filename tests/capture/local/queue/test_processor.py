"""The queue is delivered oldest first, nothing is deleted unconfirmed, nothing holds up the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue import files as queue
from capture.local.queue.alerts import PERSISTENT
from capture.local.queue.processor import LOCK_FILE, RETRIES_FILE, Processed, QueueProcessor
from capture.local.queue.retries import LONGEST_PAUSE
from capture.local.queue.sink import Receipt, SinkRefusedError, SinkUnavailableError
from memoryserver.common import files
from tests.capture.local.queue.test_files import a_file, writer


class Shelf:
    """A sink that keeps what it is given, unless `trouble` raises for it."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.trouble: Callable[[dict[str, Any]], None] = lambda _: None

    def store(self, content: dict[str, Any]) -> Receipt:
        self.asked.append(content["context_id"])
        self.trouble(content)
        duplicate = content["capture_id"] in self.kept
        self.kept[content["capture_id"]] = content
        return Receipt(content["capture_id"], 0 if duplicate else len(content["learnings"]), 0, duplicate)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "learning_queue"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def fill(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        content = a_file(context_id=name.partition("_")[2]).to_dict()
        (folder / f"{name}.json").write_text(json.dumps(content))


def unavailable(*contexts: str) -> Callable[[dict[str, Any]], None]:
    def trouble(content: dict[str, Any]) -> None:
        if not contexts or content["context_id"] in contexts:
            raise SinkUnavailableError("the server is down")

    return trouble


def names(folder: Path) -> list[str]:
    return [path.name for path in queue.waiting(folder)]


def test_processes_oldest_first(folder: Path, shelf: Shelf):
    fill(folder, "1000_c", "999_d", "1000-2_a", "1000-10_b")
    assert QueueProcessor(folder, shelf).process() == Processed(delivered=4, stored=4)
    assert shelf.asked == ["d", "c", "a", "b"]


def test_inserts_what_the_file_holds(folder: Path, shelf: Shelf):
    written = writer(folder).write(a_file())
    content = json.loads(written.read_bytes())
    QueueProcessor(folder, shelf).process()
    assert shelf.kept == {content["capture_id"]: content}


def test_deletes_only_after_confirmed_insert(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    seen: list[list[str]] = []
    shelf.trouble = lambda _: seen.append(names(folder))
    QueueProcessor(folder, shelf).process()
    assert (seen, names(folder)) == ([["1_a.json"]], [])


def test_an_answer_that_confirms_another_capture_deletes_nothing(folder: Path):
    class Liar:
        def store(self, content: dict[str, Any]) -> Receipt:
            return Receipt("another")

    fill(folder, "1_a")
    done = QueueProcessor(folder, Liar()).process()
    assert (done.delivered, done.waiting, names(folder)) == (0, 1, ["1_a.json"])


def test_an_empty_or_missing_queue_is_no_error(folder: Path, shelf: Shelf):
    assert QueueProcessor(folder, shelf).process() == Processed()


def test_cleanup_processed_files(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_b")
    QueueProcessor(folder, shelf).process()
    assert sorted(os.listdir(folder)) == [LOCK_FILE]


def test_preserves_unprocessed_files(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_b")
    shelf.trouble = unavailable()
    before = {path.name: path.read_bytes() for path in queue.waiting(folder)}
    QueueProcessor(folder, shelf).process()
    assert {path.name: path.read_bytes() for path in queue.waiting(folder)} == before


def test_retries_on_failure_after_pauses_that_double_and_survive_a_restart(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    shelf.trouble = unavailable()
    clock = Clock()
    tried_at = []
    for _ in range(800):
        before = len(shelf.asked)
        QueueProcessor(folder, shelf, now=clock).process()  # a new one each time, as after a restart
        if len(shelf.asked) > before:
            tried_at.append(clock.time - 1_000_000)
        clock.time += 1
    assert tried_at == [0, 5, 15, 35, 75, 155, 315, 495, 675]
    shelf.trouble = lambda _: None
    clock.time += LONGEST_PAUSE
    assert QueueProcessor(folder, shelf, now=clock).process() == Processed(delivered=1, stored=1)
    assert not json.loads((folder / RETRIES_FILE).read_bytes())["files"]


def test_pauses_can_be_ignored(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    shelf.trouble = unavailable()
    processor = QueueProcessor(folder, shelf, now=Clock())
    processor.process()
    processor.process()
    assert len(shelf.asked) == 1
    processor.process(ignore_pauses=True)
    assert len(shelf.asked) == 2


def test_a_clock_turned_back_does_not_put_off_a_retry(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    shelf.trouble = unavailable()
    clock = Clock()
    processor = QueueProcessor(folder, shelf, now=clock)
    processor.process()
    clock.time -= 100_000
    processor.process()
    assert len(shelf.asked) == 2


def test_alerts_on_persistent_failure_once_and_says_when_it_is_over(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_b")
    shelf.trouble = unavailable()
    said: list[str] = []
    clock = Clock()

    def go_on(seconds: float) -> None:
        until = clock.time + seconds
        while clock.time < until:
            clock.time += LONGEST_PAUSE
            QueueProcessor(folder, shelf, alert=said.append, recovered=said.append, now=clock).process()

    go_on(PERSISTENT)
    assert said == []
    go_on(5 * PERSISTENT)
    assert said == ["learnings cannot be delivered, 2 queue files wait and are kept: the server is down"]
    shelf.trouble = lambda _: None
    go_on(LONGEST_PAUSE)
    assert said[1:] == [f"over after 180 min: {said[0]}"]
    fill(folder, "3_c")
    shelf.trouble = unavailable()
    go_on(2 * PERSISTENT)
    assert len(said) == 3


def test_one_file_that_fails_for_long_while_others_go_is_told_of_once(folder: Path, shelf: Shelf):
    fill(folder, "1_poison")
    shelf.trouble = unavailable("poison")
    said: list[str] = []
    clock = Clock()
    for number in range(2, 40):
        fill(folder, f"{number}_c{number}")
        clock.time += LONGEST_PAUSE
        QueueProcessor(folder, shelf, alert=said.append, recovered=said.append, now=clock).process()
    assert said == ["1_poison.json cannot be delivered while others can, it is kept: the server is down"]
    shelf.trouble = lambda _: None
    clock.time += LONGEST_PAUSE
    QueueProcessor(folder, shelf, alert=said.append, recovered=said.append, now=clock).process()
    assert (len(said), names(folder)) == (2, [])


def test_stopped_the_file_in_hand_is_finished_and_the_others_wait(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_b", "3_c")
    done = QueueProcessor(folder, shelf, stop=lambda: len(shelf.kept) == 2).process()
    assert done == Processed(delivered=2, stored=2, waiting=1, due_in=0)
    assert names(folder) == ["3_c.json"]


def test_a_pass_says_when_the_next_is_due(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_b")
    shelf.trouble = unavailable()
    clock = Clock()
    assert QueueProcessor(folder, shelf, now=clock).process().due_in == 5
    clock.time += 2
    assert QueueProcessor(folder, shelf, now=clock).process().due_in == 3
    fill(folder, "3_c", "4_d")
    clock.time += 3
    assert QueueProcessor(folder, shelf, now=clock).process().due_in == 0  # 3 and 4 were not tried


def test_a_disk_too_full_for_the_pauses_does_not_hold_up_deliveries(folder: Path, shelf: Shelf):
    fill(folder, "1_poison", "2_b")
    (folder / "0_bad.json").write_text("{")
    (folder / RETRIES_FILE).mkdir()  # what cannot be replaced cannot be written
    (folder / "failed").write_text("in the way")
    shelf.trouble = unavailable("poison")
    done = QueueProcessor(folder, shelf).process()
    assert (done.delivered, names(folder)) == (1, ["0_bad.json", "1_poison.json"])


def test_after_an_hour_of_a_server_down_all_is_delivered_within_five_minutes_of_its_return(folder: Path, shelf: Shelf):
    shelf.trouble = unavailable()
    alerts: list[str] = []
    clock = Clock()
    for minute in range(60):
        fill(folder, f"{minute}_c{minute}")
        clock.time += 60
        QueueProcessor(folder, shelf, alert=alerts.append, now=clock).process()
    assert len(shelf.asked) <= 2 * 60
    shelf.trouble = lambda _: None
    for _ in range(5):
        clock.time += 60
        QueueProcessor(folder, shelf, alert=alerts.append, now=clock).process()
    assert (len(shelf.kept), names(folder), len(alerts)) == (60, [], 1)


def test_one_file_that_the_sink_chokes_on_holds_up_no_other(folder: Path, shelf: Shelf):
    fill(folder, "1_a", "2_poison", "3_b")
    shelf.trouble = unavailable("poison")
    done = QueueProcessor(folder, shelf).process()
    assert (done.delivered, names(folder)) == (2, ["2_poison.json"])


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"{}", b"\xff", b"[" * 100_000, b'{"capture_id": "x"}'])
def test_a_malformed_file_goes_to_the_failed_ones_with_the_reason_is_told_of_once_and_holds_up_no_other(
    folder: Path, shelf: Shelf, content: bytes
):
    fill(folder, "1_a", "3_b")
    (folder / "2_bad.json").write_bytes(content)
    alerts: list[str] = []
    done = [QueueProcessor(folder, shelf, alert=alerts.append).process() for _ in range(2)]
    assert done == [Processed(delivered=2, stored=2, failed=1), Processed()]
    ((path, reason),) = queue.failed(folder)
    assert (path.name, path.read_bytes(), bool(reason), len(alerts)) == ("2_bad.json", content, True, 1)


def test_a_refused_file_goes_to_the_failed_ones(folder: Path, shelf: Shelf):
    def refuse(content: dict[str, Any]) -> None:
        raise SinkRefusedError("refused (422): learnings.0.type")

    fill(folder, "1_a", "2_b")
    shelf.trouble = refuse
    assert QueueProcessor(folder, shelf).process() == Processed(failed=2)
    assert [reason for _, reason in queue.failed(folder)] == ["refused (422): learnings.0.type"] * 2


def test_a_folder_in_place_of_a_file_is_put_aside(folder: Path, shelf: Shelf):
    fill(folder, "2_b")
    (folder / "1_a.json").mkdir()
    assert QueueProcessor(folder, shelf).process() == Processed(delivered=1, stored=1, failed=1)


def test_a_retries_file_that_is_corrupt_costs_only_the_pauses(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    for content in (b"{", b"[]", b'{"files": {"1_a.json": {"x": 1}}, "alerted": 0}', b'{"files": [], "alerted": true}'):
        (folder / RETRIES_FILE).write_bytes(content)
        shelf.trouble = unavailable()
        assert QueueProcessor(folder, shelf).process().waiting == 1


def test_a_second_processor_waits_and_then_says_who_is_at_it(folder: Path, shelf: Shelf):
    fill(folder, "1_a")
    with files.lock(folder / LOCK_FILE), pytest.raises(files.LockTimeoutError, match=str(os.getpid())):
        QueueProcessor(folder, shelf).process(lock_timeout=0.05)
    assert names(folder) == ["1_a.json"]
