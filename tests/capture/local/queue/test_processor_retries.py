"""Deliveries that fail: the pauses before they are tried again, and the alerts."""

from __future__ import annotations

import json
from pathlib import Path

from capture.local.queue.alerts import PERSISTENT
from capture.local.queue.processor import RETRIES_FILE, Processed, QueueProcessor
from capture.local.queue.retries import LONGEST_PAUSE
from tests.capture.local.queue.test_processor import Clock, MemorySink, fill, names, unavailable


def test_retries_on_failure_after_pauses_that_double_and_survive_a_restart(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    sink.check = unavailable()
    clock = Clock()
    tried_at = []
    for _ in range(800):
        before = len(sink.attempts)
        QueueProcessor(folder, sink, now=clock).process()  # a new one each time, as after a restart
        if len(sink.attempts) > before:
            tried_at.append(clock.time - 1_000_000)
        clock.time += 1
    assert tried_at == [0, 5, 15, 35, 75, 155, 315, 495, 675]
    sink.check = lambda _: None
    clock.time += LONGEST_PAUSE
    assert QueueProcessor(folder, sink, now=clock).process() == Processed(delivered=1, stored=1)
    assert not json.loads((folder / RETRIES_FILE).read_bytes())["files"]


def test_pauses_can_be_ignored(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    sink.check = unavailable()
    processor = QueueProcessor(folder, sink, now=Clock())
    processor.process()
    processor.process()
    assert len(sink.attempts) == 1
    processor.process(ignore_pauses=True)
    assert len(sink.attempts) == 2


def test_clock_set_back_does_not_postpone_a_retry(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    sink.check = unavailable()
    clock = Clock()
    processor = QueueProcessor(folder, sink, now=clock)
    processor.process()
    clock.time -= 100_000
    processor.process()
    assert len(sink.attempts) == 2


def test_alerts_on_persistent_failure_once_and_reports_its_end(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b")
    sink.check = unavailable()
    alerts: list[str] = []
    clock = Clock()

    def advance(seconds: float) -> None:
        until = clock.time + seconds
        while clock.time < until:
            clock.time += LONGEST_PAUSE
            QueueProcessor(folder, sink, alert=alerts.append, recovered=alerts.append, now=clock).process()

    advance(PERSISTENT)
    assert alerts == []
    advance(5 * PERSISTENT)
    assert alerts == ["learnings cannot be delivered, 2 queue files wait and are kept: the server is down"]
    sink.check = lambda _: None
    advance(LONGEST_PAUSE)
    assert alerts[1:] == [f"over after 180 min: {alerts[0]}"]
    fill(folder, "3_c")
    sink.check = unavailable()
    advance(2 * PERSISTENT)
    assert len(alerts) == 3


def test_file_that_fails_for_long_while_others_are_delivered_is_alerted_once(folder: Path, sink: MemorySink):
    fill(folder, "1_poison")
    sink.check = unavailable("poison")
    alerts: list[str] = []
    clock = Clock()
    for number in range(2, 40):
        fill(folder, f"{number}_c{number}")
        clock.time += LONGEST_PAUSE
        QueueProcessor(folder, sink, alert=alerts.append, recovered=alerts.append, now=clock).process()
    assert alerts == ["1_poison.json cannot be delivered while others can, it is kept: the server is down"]
    sink.check = lambda _: None
    clock.time += LONGEST_PAUSE
    QueueProcessor(folder, sink, alert=alerts.append, recovered=alerts.append, now=clock).process()
    assert (len(alerts), names(folder)) == (2, [])


def test_pass_returns_when_the_next_file_is_due(folder: Path, sink: MemorySink):
    fill(folder, "1_a", "2_b")
    sink.check = unavailable()
    clock = Clock()
    assert QueueProcessor(folder, sink, now=clock).process().due_in == 5
    clock.time += 2
    assert QueueProcessor(folder, sink, now=clock).process().due_in == 3
    fill(folder, "3_c", "4_d")
    clock.time += 3
    assert QueueProcessor(folder, sink, now=clock).process().due_in == 0  # 3 and 4 were not tried


def test_server_back_after_an_hour_has_every_file_within_five_minutes(folder: Path, sink: MemorySink):
    sink.check = unavailable()
    alerts: list[str] = []
    clock = Clock()
    for minute in range(60):
        fill(folder, f"{minute}_c{minute}")
        clock.time += 60
        QueueProcessor(folder, sink, alert=alerts.append, now=clock).process()
    assert len(sink.attempts) <= 2 * 60
    sink.check = lambda _: None
    for _ in range(5):
        clock.time += 60
        QueueProcessor(folder, sink, alert=alerts.append, now=clock).process()
    assert (len(sink.stored), names(folder), len(alerts)) == (60, [], 1)


def test_corrupt_retries_file_loses_only_the_pauses(folder: Path, sink: MemorySink):
    fill(folder, "1_a")
    for content in (b"{", b"[]", b'{"files": {"1_a.json": {"x": 1}}, "alerted": 0}', b'{"files": [], "alerted": true}'):
        (folder / RETRIES_FILE).write_bytes(content)
        sink.check = unavailable()
        assert QueueProcessor(folder, sink).process().waiting == 1
