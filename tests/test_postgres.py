"""The plugin that runs the suite's own Postgres (tests/postgres.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.support.processes.server_process import ROOT, processes_of

LIMIT = 240.0  # seconds, for a machine that is busy with other tests

ENDLESS = """
import os, subprocess, time
from pathlib import Path
import pytest

@pytest.fixture
def child():
    process = subprocess.Popen(["/bin/sleep", "600"])
    yield process
    process.kill()
    process.wait()

def test_endless(child):
    Path({started!r}).write_text(os.environ["MEMORYSERVER_DATA"])
    time.sleep(600)
"""


def test_run_that_is_told_to_end_leaves_neither_process_nor_folder(tmp_path: Path) -> None:
    started, file = tmp_path / "started", tmp_path / "test_endless.py"
    file.write_text(ENDLESS.format(started=str(started)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", str(file)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment.pop("DATABASE_URL", None)
    run = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + LIMIT
    while not (started.exists() and started.read_text()):
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    data_dir = Path(started.read_text())
    before = set(processes_of(data_dir).values())

    run.send_signal(signal.SIGTERM)
    said, _ = run.communicate(timeout=LIMIT)

    assert {command.split()[0].rpartition("/")[2] for command in before} >= {"sleep", "postgres"}
    assert "KeyboardInterrupt" in said
    assert processes_of(data_dir) == {}
    assert not data_dir.exists()
