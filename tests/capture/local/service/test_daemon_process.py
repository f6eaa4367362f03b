"""The daemon as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from capture.local.service import daemon
from tests.support.laptops.capture_laptop import Laptop, cause

RUN = [sys.executable, "-m", "memorycli", "capture", "run"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_ends_the_process_with_status_0(laptop: Laptop, number: signal.Signals):
    laptop.transcript.agent(cause(1))
    environment = {**os.environ, "MEMORYSERVER_HOME": str(laptop.home)}
    process = subprocess.Popen(
        [*RUN, "--root", laptop.root], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 20
    while (beat := daemon.running(laptop.home)) is None or not beat.cycles:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert beat.pid == process.pid
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (0, b"")
    assert laptop.queued() == [cause(1)]


def test_two_processes_started_at_once_are_one_daemon(laptop: Laptop):
    laptop.root.mkdir(exist_ok=True)
    environment = {**os.environ, "MEMORYSERVER_HOME": str(laptop.home)}
    both = [
        subprocess.Popen([*RUN, "--root", laptop.root], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    deadline = time.monotonic() + 20
    while all(process.poll() is None for process in both):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    second = next(process for process in both if process.poll() is not None)
    first = next(process for process in both if process is not second)
    _, stderr = second.communicate()
    assert (second.returncode, first.poll()) == (1, None)
    assert stderr.decode().startswith(f"memory: daemon already running (process {first.pid}, since ")
    first.terminate()
    first.communicate()
    assert first.returncode == 0
