"""The daemon: in simulated time, and as a process that is stopped by a signal."""

from __future__ import annotations

import itertools
import json
import logging
import os
import threading

import pytest

from capture.local.queue import files as queue
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.sink import SinkUnavailableError
from capture.local.service import daemon
from capture.local.service.daemon import INTERVAL, AlreadyRunningError, Cycle, Step
from capture.local.service.heartbeat import daemon_lock
from memoryserver.client import ended_sessions
from memoryserver.common import files
from tests.capture.local.queue.test_processor import unavailable
from tests.capture.local.simulated import World
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import Laptop, cause

HOUR = 3600.0


def test_scans_all_active_projects(laptop: Laptop):
    for number in (1, 2, 3):
        Transcript(laptop.root / f"-home-dev-{number}" / f"s{number}.jsonl").agent(cause(number))
    world = World(laptop, 1)
    world.run()
    assert sorted(world.stored()) == [cause(1), cause(2), cause(3)]


def test_respects_scan_interval(laptop: Laptop):
    world = World(laptop, 8 * HOUR)
    world.run()
    pauses = [after - before for before, after in itertools.pairwise(world.started)]
    assert all(INTERVAL[0] <= pause <= INTERVAL[1] for pause in pauses)
    assert len(set(pauses)) > len(pauses) / 2  # random, so that a team's laptops do not send at the same time
    assert 8 * HOUR / INTERVAL[1] <= len(world.cycles) <= 8 * HOUR / INTERVAL[0] + 1


def test_cycle_begins_when_a_session_has_ended_and_its_learnings_are_captured(laptop: Laptop):
    world = World(laptop, 125)

    def end_session() -> None:
        if world.time.passed == 30:
            laptop.transcript.agent(cause(1))
            ended_sessions.record("s1")

    world.time.meanwhile = end_session
    world.run()
    assert world.started == [0, 30]
    assert world.stored() == [cause(1)]


def test_handles_project_errors_gracefully(laptop: Laptop):
    laptop.transcript.agent(cause(1))
    loop = laptop.root / "loop.jsonl"
    loop.symlink_to(loop)
    world = World(laptop, 2 * HOUR)
    cycles = world.run()
    assert world.stored() == [cause(1)]
    assert all(len(cycle.errors) == 1 and str(loop) in cycle.errors[0] for cycle in cycles)
    assert [text.partition(": ")[0] for text in world.alerts] == ["cannot be captured"]
    loop.unlink()
    world.run_for(1)
    assert len(world.recovered) == 1


def test_shutdown_gracefully_after_the_current_file(laptop: Laptop):
    for number in (1, 2, 3):
        Transcript(laptop.root / f"{number}.jsonl").agent(cause(number))
    world = World(laptop, 1)

    def stop(_: object) -> None:
        world.time.passed = 1

    world.sink.check = stop
    world.run()
    assert world.stored() == [cause(1)]  # the current file was delivered, the others wait
    assert len(queue.waiting(laptop.home / QUEUE_FOLDER)) == 2
    world.run_for(2)
    assert sorted(world.stored()) == [cause(1), cause(2), cause(3)]


def test_transcript_whose_reading_was_stopped_is_continued_by_the_next_daemon(laptop: Laptop):
    """It continues even if the transcript has not changed since."""
    filler = "nothing to learn here. " * 40_000
    for number in range(1, 9):
        laptop.transcript.agent(cause(number))
        laptop.transcript.agent(filler)
    world = World(laptop, 1)
    calls = 0

    def requested() -> bool:
        nonlocal calls
        calls += 1
        return calls > 1

    world.time.requested = requested  # type: ignore[method-assign]
    world.run()
    assert 0 < len(laptop.queued()) < 8
    again = World(laptop, 1)
    again.run()
    assert sorted(again.stored()) == [cause(number) for number in range(1, 9)]


def test_survives_a_file_that_became_shorter(laptop: Laptop):
    """It is read again from the start, and nothing is stored twice."""
    records = [laptop.transcript.agent(cause(number)) for number in range(1, 6)]
    world = World(laptop, 1)
    world.run()
    laptop.transcript.path.unlink()
    shorter = Transcript(laptop.transcript.path)
    shorter.agent("So far we had looked at five causes.", uuid="new-1")
    shorter.write(records[2])
    shorter.agent(cause(6), uuid="new-2")
    (cycle,) = world.run_for(1)
    assert cycle.scanned.compactions == 0
    assert world.stored() == [cause(number) for number in range(1, 7)]


def test_server_back_after_an_hour_has_all_within_five_minutes_after_growing_pauses_and_one_alert(
    laptop: Laptop,
):
    numbers = iter(range(1, 1000))
    world = World(laptop, HOUR)

    def work() -> None:
        laptop.transcript.agent(cause(next(numbers)))

    world.time.meanwhile = work
    laptop.transcript.agent(cause(0))
    tried: list[float] = []

    def fail(_content: object) -> None:
        tried.append(world.time.passed)
        raise SinkUnavailableError("the server is down")

    world.sink.check = fail
    world.run()
    assert tried[:5] == [0, 5, 15, 35, 75]
    assert len(world.sink.attempts) < 3 * HOUR / INTERVAL[0]
    assert len(world.alerts) == 1
    written = next(numbers)
    world.sink.check = lambda _: None
    world.time.meanwhile = lambda: None
    world.run_for(300)
    assert sorted(world.stored()) == sorted(cause(number) for number in range(written))
    assert (len(world.alerts), len(world.recovered)) == (1, 1)


def test_machine_that_slept_for_hours_runs_one_cycle_and_not_those_it_missed(laptop: Laptop):
    world = World(laptop, 10 * HOUR)
    slept: list[int] = []

    def lid() -> None:
        if not slept and world.time.passed > 300:
            slept.append(len(world.cycles))
            world.time.passed += 8 * HOUR

    world.time.meanwhile = lid
    world.run()
    after = [began for began in world.started if began > 8 * HOUR]
    assert all(INTERVAL[0] <= later - earlier for earlier, later in itertools.pairwise(after))


@pytest.mark.parametrize("by", [-10 * 365 * 24 * HOUR, -HOUR, HOUR])
def test_clock_that_jumps_changes_neither_the_interval_nor_the_stored_learnings(laptop: Laptop, by: float):
    numbers = iter(range(1, 1000))
    world = World(laptop, HOUR)

    def jump() -> None:
        laptop.transcript.agent(cause(next(numbers)))
        if world.time.passed > HOUR / 2:
            world.time.offset = by
            world.sink.check = lambda _: None

    world.time.meanwhile = jump
    world.sink.check = unavailable()
    world.run()
    assert len(world.cycles) <= HOUR / INTERVAL[0] + 1
    world.time.meanwhile = lambda: None
    world.run_for(300)
    assert sorted(world.stored()) == sorted(cause(number) for number in range(1, next(numbers)))


def test_full_queue_is_alerted_once_and_capture_continues_after_delivery(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(queue, "LIMIT_BYTES", 3000)
    for number in range(1, 8):
        Transcript(laptop.root / f"{number}.jsonl").agent(cause(number))
    world = World(laptop, HOUR / 4)
    world.sink.check = unavailable()
    cycles = world.run()
    assert len(cycles) > 3
    assert all("has reached its limit" in cycle.errors[0] for cycle in cycles)
    assert len(world.alerts) == 1
    world.sink.check = lambda _: None
    world.run_for(HOUR)
    assert sorted(world.stored()) == [cause(number) for number in range(1, 8)]
    assert len(world.alerts) == len(world.recovered) == 1


def test_damaged_file_blocks_no_other_and_is_alerted_once_also_across_a_restart(laptop: Laptop):
    files.make_folder(laptop.home / QUEUE_FOLDER)
    (laptop.home / QUEUE_FOLDER / "1_poison.json").write_text('{"capture_id": ')
    laptop.transcript.agent(cause(1))
    world = World(laptop, HOUR)
    world.run()
    world.run_for(HOUR)
    assert world.stored() == [cause(1)]
    assert [text.partition(" ")[0] for text in world.alerts] == ["1_poison.json"]


def test_alert_is_not_repeated_after_a_restart(laptop: Laptop):
    laptop.transcript.agent(cause(1))
    world = World(laptop, HOUR)
    world.sink.check = unavailable()
    world.run()
    world.run_for(HOUR)
    assert len(world.alerts) == 1


def test_failing_step_stops_no_other_and_is_alerted_when_it_lasts(laptop: Laptop):
    counts = []

    def fail(_: Cycle) -> None:
        raise RuntimeError("no such luck")

    world = World(laptop, HOUR)
    steps = [Step("first", fail), Step("second", lambda cycle: counts.append(cycle.scanned.transcripts))]
    cycles = world.run(after_cycle=steps)
    assert len(counts) == len(cycles)
    assert {error for cycle in cycles for error in cycle.errors} == {"first: no such luck"}
    assert world.alerts == ["capture: first: no such luck"]


def test_manual_scan_at_the_same_time_is_waited_for_and_does_not_end_the_daemon(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(daemon, "_LOCK_TIMEOUT", 0.01)
    laptop.transcript.agent(cause(1))
    world = World(laptop, HOUR / 6)
    laptop.home.mkdir()
    descriptor = files.try_lock(laptop.home / "capture.lock")
    assert descriptor is not None

    def release() -> None:
        if len(world.cycles) == 2:
            os.close(descriptor)
            world.time.meanwhile = lambda: None

    world.time.meanwhile = release
    world.run()
    assert world.stored() == [cause(1)]
    assert world.alerts == []


def test_heartbeat_has_the_last_cycle_while_it_runs_and_is_none_afterwards(laptop: Laptop):
    world = World(laptop, 1)
    beats = []
    (laptop.root / "x.jsonl").symlink_to(laptop.root / "x.jsonl")
    assert daemon.running(laptop.home) is None
    world.time.meanwhile = lambda: beats.append(daemon.running(laptop.home))
    world.run()
    (beat,) = beats
    assert beat is not None
    assert (beat.pid, beat.started, beat.last_cycle, beat.cycles) == (
        os.getpid(),
        "2026-03-01T09:00:00Z",
        "2026-03-01T09:00:00Z",
        1,
    )
    assert "x.jsonl" in beat.last_error
    assert daemon.running(laptop.home) is None
    content = json.loads((laptop.home / "capture_state" / "daemon.json").read_bytes())
    assert sorted(content) == ["cycles", "last_cycle", "last_error", "pid", "started"]
    assert laptop.states.all() == []  # the heartbeat is in their folder but not a state


def test_second_daemon_names_the_process_of_the_first(laptop: Laptop):
    world = World(laptop, 1)
    errors = []

    def second() -> None:
        with pytest.raises(AlreadyRunningError) as error:
            World(laptop, 1).run()
        errors.append(str(error.value))

    world.time.meanwhile = second
    world.run()
    assert errors == [f"daemon already running (process {os.getpid()}, since 2026-03-01T09:00:00Z)"]


def test_reading_the_heartbeat_never_prevents_a_daemon_from_starting(laptop: Laptop):
    laptop.home.mkdir()
    finished = threading.Event()

    def read() -> None:
        while not finished.is_set():
            daemon.running(laptop.home)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    try:
        for _ in range(10):
            with daemon_lock(laptop.home):
                pass
    finally:
        finished.set()
        for thread in readers:
            thread.join()


def test_home_that_cannot_be_written_raises_os_error(laptop: Laptop):
    laptop.home.parent.mkdir(exist_ok=True)
    laptop.home.write_text("a file in place of the folder")
    with pytest.raises(OSError, match=str(laptop.home)):
        World(laptop, 1).run()


def test_each_cycle_is_logged(laptop: Laptop, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO)
    cycles = World(laptop, HOUR).run()
    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("cycle ")]
    assert len(lines) == len(cycles) >= 20
