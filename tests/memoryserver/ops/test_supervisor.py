"""Parts are real processes: small scripts that show life, fall silent, end or ignore SIGTERM."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryserver.ops import supervisor as module
from memoryserver.ops.supervisor import Part, Supervisor

LIVELY = "import os, time\nwhile True: os.write(int(os.environ['MEMORYSERVER_WATCHDOG_PIPE']), b'.'); time.sleep(0.05)"
SILENT = "import time; time.sleep(600)"


def part(script: str) -> Part:
    return Part("job worker", [sys.executable, "-c", script], start_limit=30)


@pytest.fixture
def supervisor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    monkeypatch.setattr(module, "STOP_TIMEOUT", 2.0)
    monkeypatch.setattr(module, "PROGRESS_LIMIT", 2.0)
    supervisor = Supervisor()
    yield supervisor
    supervisor.stop()


def pid(part: Part) -> int:
    assert part.process is not None
    return part.process.pid


def supervise_until(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        supervisor.supervise()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_zombie_or_gone(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes() == b""
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "suspended"])
def test_part_that_is_killed_or_suspended_is_restarted(supervisor: Supervisor, number: int) -> None:
    worker = part(LIVELY)
    supervisor.start(worker)
    supervise_until(supervisor, supervisor.all_ready)
    first = pid(worker)

    os.kill(first, number)
    supervise_until(supervisor, lambda: pid(worker) != first and worker.ready)

    assert not Path(f"/proc/{first}").exists()


def test_part_that_runs_on_but_falls_silent_is_restarted(supervisor: Supervisor) -> None:
    worker = part("import os, time; os.write(int(os.environ['MEMORYSERVER_WATCHDOG_PIPE']), b'.'); time.sleep(600)")
    supervisor.start(worker)
    first = pid(worker)

    supervise_until(supervisor, lambda: pid(worker) != first)


def test_part_whose_probe_fails_is_restarted(supervisor: Supervisor, tmp_path: Path) -> None:
    healthy = tmp_path / "healthy"
    healthy.touch()
    web = Part("web server", [sys.executable, "-c", SILENT], probe=healthy.exists)
    supervisor.start(web)
    supervise_until(supervisor, supervisor.all_ready)
    first = pid(web)

    healthy.unlink()
    supervise_until(supervisor, lambda: pid(web) != first)
    healthy.touch()
    supervise_until(supervisor, supervisor.all_ready)


def test_part_with_a_probe_that_is_suspended_is_restarted_even_if_its_children_answer(supervisor: Supervisor) -> None:
    web = Part("web server", [sys.executable, "-c", SILENT], probe=lambda: True)
    supervisor.start(web)
    supervise_until(supervisor, supervisor.all_ready)
    first = pid(web)

    os.kill(first, signal.SIGSTOP)
    supervise_until(supervisor, lambda: pid(web) != first)


def test_children_of_a_part_end_with_it(supervisor: Supervisor, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"import os, time\nif os.fork() == 0: open({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    worker = part(script)
    supervisor.start(worker)
    supervise_until(supervisor, lambda: note.exists() and note.read_text() != "")

    first = pid(worker)
    os.kill(first, signal.SIGKILL)
    supervise_until(supervisor, lambda: pid(worker) != first)
    assert is_zombie_or_gone(int(note.read_text()))


def test_pauses_grow_while_a_part_keeps_ending(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("memoryserver.ops.supervisor.time.monotonic", lambda: clock[0])
    worker = part("raise SystemExit(3)")
    supervisor.start(worker)
    pauses = []
    for _ in range(7):
        assert worker.process is not None
        worker.process.wait()
        began = clock[0]
        process = worker.process
        while worker.process is process:
            supervisor.supervise()
            clock[0] += 0.5
        pauses.append(round(clock[0] - began - 0.5))

    assert pauses == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        pytest.param("raise SystemExit(3)", "the job worker ended with status 3", id="ends"),
        pytest.param("import os; os.kill(os.getpid(), 9)", "the job worker was killed by signal 9", id="killed"),
        pytest.param(SILENT, "the job worker did not respond within 1 s", id="silent"),
    ],
)
def test_start_that_fails_is_one_sentence(supervisor: Supervisor, script: str, sentence: str) -> None:
    worker = part(script)
    worker.start_limit = 1 if script is SILENT else 30
    supervisor.start(worker)

    deadline = time.monotonic() + 30
    while not (faults := supervisor.faults()):
        assert time.monotonic() < deadline
        time.sleep(0.02)

    assert (faults, supervisor.all_ready()) == ([sentence], False)


@pytest.mark.parametrize("suspended", [False, True], ids=["running", "suspended"])
def test_stop_asks_first_so_that_a_part_can_finish(supervisor: Supervisor, tmp_path: Path, suspended: bool) -> None:
    note = tmp_path / "finished"
    ending = f"import signal, sys; signal.signal(15, lambda *_: (open({str(note)!r}, 'w').close(), sys.exit()))\n"
    worker = part(ending + LIVELY)
    supervisor.start(worker)
    supervise_until(supervisor, supervisor.all_ready)
    if suspended:
        os.kill(pid(worker), signal.SIGSTOP)

    supervisor.stop()

    assert worker.process is not None
    assert (worker.process.returncode, note.exists()) == (0, True)


def test_stop_kills_a_part_that_ignores_it(supervisor: Supervisor) -> None:
    worker = part("import signal; signal.signal(15, signal.SIG_IGN)\n" + LIVELY)
    supervisor.start(worker)
    supervise_until(supervisor, supervisor.all_ready)

    supervisor.stop()

    assert worker.process is not None
    assert worker.process.returncode == -signal.SIGKILL


def test_part_that_serves_others_is_asked_to_stop_when_they_have_ended(supervisor: Supervisor, tmp_path: Path) -> None:
    log = tmp_path / "log"
    parts = []
    for name, serves_others in (("embedding process", True), ("job worker", False)):
        write = f"open({str(log)!r}, 'a').write({name + chr(10)!r})"
        ending = f"import signal, sys, time\nsignal.signal(15, lambda *_: (time.sleep(0.3), {write}, sys.exit()))\n"
        parts.append(part(ending + LIVELY))
        parts[-1].name, parts[-1].serves_others = name, serves_others
        supervisor.start(parts[-1])
    supervise_until(supervisor, supervisor.all_ready)

    supervisor.stop()

    assert log.read_text().splitlines() == ["job worker", "embedding process"]
