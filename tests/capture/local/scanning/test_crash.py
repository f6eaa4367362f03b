"""A scan, and a daemon's cycle, that are stopped at any of their file operations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import scan
from tests.support.laptops.capture_laptop import Laptop, cause


def stopped_at(operation: int, laptop: Laptop) -> bool:
    """Scan in a process of its own that ends, without a word, at its `operation`th change of a file."""
    child = os.fork()
    if child == 0:
        left = operation

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def counting(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(77)
                return call(*args, **kwargs)

            return counting

        for name in ("write", "fsync", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        try:
            scan(laptop.home, [laptop.root])
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 77


def test_stopped_at_any_file_operation_nothing_is_lost_and_nothing_is_queued_twice(tmp_path: Path):
    operation, stopped = 0, True
    while stopped:
        laptop = Laptop(tmp_path / str(operation))
        for number in (1, 2, 3):
            laptop.transcript.agent(cause(number))
        stopped = stopped_at(operation, laptop)
        laptop.scan()
        assert laptop.queued() == [cause(1), cause(2), cause(3)]
        assert laptop.scan() == ScanReport(transcripts=1)
        operation += 1
    assert operation > 10


@pytest.mark.parametrize("mode", ["exit", "full"])
def test_a_cycle_ended_or_out_of_disk_at_any_file_operation_loses_and_doubles_nothing(mode: str):
    """At every third one; `bench/proofs/crash_points.py` tries all."""
    command = [sys.executable, "-m", "tests.capture.local.scanning.crash", mode, "3"]
    process = subprocess.run(command, capture_output=True, check=False, timeout=300)
    assert process.returncode == 0, process.stderr.decode()
    report = json.loads(process.stdout)
    assert report["failures"] == []
    operations = [moment.partition(" ")[0] for moment in report["moments"]]
    assert len(operations) > 60
    assert {"open", "write", "half-written", "fsync", "replace", "unlink"} <= set(operations)
