"""An hour of the daemon's work in simulated time, for bench/capture.py; prints how much memory it took, as JSON.

It does as `memory capture run` does, its pauses skipped: in each of them work goes on in some of the projects, and in
the second half of the hour a line of 15 MB comes to one after the other.

    MEMORYSERVER_HOME=... python -m bench.support.capture_hour FOLDER PROJECTS
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.support import transcripts
from capture.local.service.daemon import ContinuousCaptureDaemon
from capture.local.service.logfile import log_to_file
from memorycli.commands.capturing import capture_run
from memorycli.delivery import alerts, daemon
from memoryserver.client import home_folder

HOUR = 3600.0
LONG_LINE = 15_000_000


def append_long_line(path: Path, number: int) -> None:
    """Bit by bit, since it is this very process' memory that is measured."""
    before, after = transcripts.line_for(number, text="HERE", session=path.stem).split(b"HERE")
    with path.open("ab") as file:
        file.write(before)
        for _ in range(LONG_LINE // 1000):
            file.write(b"x" * 1000)
        file.write(after)


class SimulatedHour:
    """Time that passes when somebody waits; at each pause work goes on in some projects."""

    def __init__(self, paths: list[Path]) -> None:
        self.passed = 0.0
        self._paths = paths
        self._number = 20_000_000

    def monotonic(self) -> float:
        return self.passed

    def now(self) -> datetime:
        return datetime(2026, 3, 1, 9, tzinfo=UTC) + timedelta(seconds=self.passed)

    def requested(self) -> bool:
        return self.passed >= HOUR

    def wait(self, pause: float) -> bool:
        self.passed += pause
        for path in self._paths[:: 1 + int(self.passed) % 7]:
            self._number += 1
            with path.open("ab") as file:
                file.write(transcripts.line_for(self._number, session=path.stem))
        if self.passed > HOUR / 2 and self._paths:
            append_long_line(self._paths[0], self._number + 1)
            self._paths = self._paths[1:]
        return self.requested()


def hour(folder: Path, projects: int) -> None:
    """The hour, in this process; prints what it came to as JSON."""
    paths = [folder / "projects" / f"-home-dev-{number}" / f"session-{number}.jsonl" for number in range(projects)]
    time_ = SimulatedHour(paths)
    log_to_file(home_folder.path())
    start, delivered, cycles = megabytes(), 0, 0

    def count(cycle: Any) -> None:
        nonlocal delivered, cycles
        delivered += cycle.delivered.stored
        cycles += 1
        assert not cycle.errors, cycle.errors

    ContinuousCaptureDaemon(
        home_folder.path(),
        capture_run.sink,
        time_,
        roots=[folder / "projects"],
        after_cycle=daemon.steps(home_folder.path()),
        alert=alerts.alert,
        on_cycle=count,
        monotonic=time_.monotonic,
        now=time_.now,
    ).run()
    print(json.dumps({"peak": megabytes(), "start": start, "cycles": cycles, "stored": delivered}))


def megabytes() -> float:
    """The most memory that this process has had."""
    try:
        status = Path("/proc/self/status").read_text()
    except FileNotFoundError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes on macOS
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    hour(Path(sys.argv[1]), int(sys.argv[2]))
