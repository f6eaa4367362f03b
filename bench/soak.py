"""Agents at work for minutes while processes are killed, the database restarts, its disk fills and clocks step.

    python bench/soak.py [--minutes 10] [--agents 50] [--laptops 3] [--seed 1]

Two web processes, two job workers, Postgres and Redis run as on several machines; what dies is started again as by a
service manager. The agents post hooks, tool calls, captures, GHAP entries and observations and search; a fifth of them
has a clock that is an hour fast, a fifth one that is slow. The laptops use the real `memory` command. As root, Postgres
is on a file system of --disk megabytes, which is filled up from time to time; the time of day of a web process
and of a job worker is set forth and back (a C compiler makes what that takes).

It must hold, or the status is 1: each row that was acknowledged is there once, the server's answers that report an
error of its own are in its log, no request is refused, and the memory of no process grows by more than a tenth and
30 MB between the second quarter of the run and the last. Prints a line for each fault and a JSON line at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.soak_faults import Faults, WrongClock, small_disk
from bench.support.soak_laptops import Laptop
from tests.support.processes.installation import Installation
from tests.support.processes.traffic import Traffic, wrong_rows

SAMPLE_INTERVAL = 2.0
MOST_GROWTH, MOST_GROWTH_BYTES = 1.1, 30e6


@dataclass
class Report:
    """What a run found; `problems` must be empty."""

    seconds: float = 0.0
    acknowledged: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    megabytes: dict[str, list[float]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return it for the last line."""
        return {"bench": "soak", **vars(self)}


class Memory:
    """Samples of the resident memory of each part, until its process is another."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._samples: dict[tuple[str, int], list[float]] = defaultdict(list)
        self._next = 0.0

    def sample(self) -> None:
        """Take a sample if it is time for one."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + SAMPLE_INTERVAL
        for name, part in self._installation.parts.items():
            resident = sum(_resident(pid) for pid in self._installation.pids(name))
            if resident:
                self._samples[name, part.process.pid].append(resident)

    def growth(self) -> dict[str, list[float]]:
        """Return, by part, the median bytes of the second and the last quarter of its longest life."""
        longest: dict[str, list[float]] = {}
        for (name, _), samples in self._samples.items():
            if len(samples) >= 8 and len(samples) > len(longest.get(name, [])):
                longest[name] = samples
        return {
            name: [
                statistics.median(quarter)
                for quarter in (samples[len(samples) // 4 : len(samples) // 2], samples[-(len(samples) // 4) :])
            ]
            for name, samples in longest.items()
        }


def _resident(pid: int) -> float:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))
    return 0.0


def run(
    folder: Path,
    *,
    seconds: float,
    agents: int,
    laptops: int,
    seed: int,
    disk: int,
    pause: float,
    quiet: float,
    prepare: Callable[[Path], object] | None = None,
) -> Report:
    """Run for so many seconds, and at least one round of faults.

    `prepare` may put a migrated database into the data folder of Postgres, which migrates by itself otherwise.
    """
    report = Report()
    clock = WrongClock(folder)
    prefixes = {"web 1": clock.words, "worker 1": clock.words}
    settings = {"MEMORYSERVER_JOB_LEASE_SECONDS": "8", "MEMORYSERVER_REQUESTS_PER_MINUTE": "0"}
    with contextlib.ExitStack() as stack:
        if disk:
            stack.enter_context(small_disk(folder / "primary", disk))
        if prepare:
            prepare(folder / "primary")
        installation = Installation(folder, webs=2, workers=2, redis=True, prefixes=prefixes, settings=settings)
        stack.enter_context(installation)
        installation.execute("ALTER SYSTEM SET max_wal_size = '64MB'")
        traffic = Traffic(installation.addresses, installation.token, agents=agents, pause=pause)
        at_work = [
            Laptop(folder / f"laptop-{number}", installation.addresses[number % 2], installation.token, pause=pause)
            for number in range(laptops)
        ]
        faults = Faults(installation, clock, disk=bool(disk), seed=seed)
        began = time.monotonic()
        try:
            traffic.start()
            for laptop in at_work:
                laptop.start()
            _disturb(installation, faults, report, seconds, quiet)
        finally:
            _finish(installation, traffic, at_work)
        report.seconds = round(time.monotonic() - began, 1)
        _judge(installation, traffic, at_work, report)
    return report


def _disturb(installation: Installation, faults: Faults, report: Report, seconds: float, quiet: float) -> None:
    memory = Memory(installation)
    end, caused = time.monotonic() + seconds, 0
    while time.monotonic() < end or caused < faults.kinds:
        until = time.monotonic() + quiet
        while time.monotonic() < until:
            installation.run_for(0.2)
            memory.sample()
        fault = faults.next()
        caused += 1
        report.faults[fault] += 1
        print(f"{seconds - (end - time.monotonic()):6.0f} s  {fault}", flush=True)
    for name, (before, after) in memory.growth().items():
        report.megabytes[name] = [round(before / 1e6, 1), round(after / 1e6, 1)]
        if after > before * MOST_GROWTH and after - before > MOST_GROWTH_BYTES:
            report.problems.append(f"the memory of {name} grew from {before / 1e6:.0f} to {after / 1e6:.0f} MB")


def _finish(installation: Installation, traffic: Traffic, laptops: list[Laptop]) -> None:
    """Let everything be delivered, on a server that is left alone."""
    stops = [Thread(target=stop) for stop in (traffic.stop, *(laptop.stop for laptop in laptops))]
    for stop in stops:
        stop.start()
    while any(stop.is_alive() for stop in stops):
        installation.run_for(0.2)


def _judge(installation: Installation, traffic: Traffic, laptops: list[Laptop], report: Report) -> None:
    database = installation.database()
    report.acknowledged = Counter(table for table, _ in traffic.acknowledged)
    report.acknowledged["laptops"] = sum(len(laptop.calls) + len(laptop.goals) for laptop in laptops)
    report.statuses = traffic.statuses
    wrong = wrong_rows(database, traffic.acknowledged)
    for laptop in laptops:
        wrong += laptop.wrong_rows(database)
        report.problems += laptop.errors
    report.problems += [f"{table} {key} is there {count} times" for table, key, count in wrong]
    report.problems += [f"not acknowledged: {path}" for path in traffic.given_up]
    report.problems += [f"refused: {refusal}" for refusal in traffic.refused]
    logs = installation.logs()
    report.problems += [f"not in the log: {request}" for request in traffic.failed_requests if request not in logs]


def main() -> None:
    """Run, print the report, and end with status 1 if there is a problem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--laptops", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--disk", type=int, default=1000 if os.geteuid() == 0 else 0, help="megabytes; 0: not filled up"
    )
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two writes of an agent")
    parser.add_argument("--quiet", type=float, default=12.0, help="seconds between two faults")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        report = run(
            Path(folder),
            seconds=given.minutes * 60,
            agents=given.agents,
            laptops=given.laptops,
            seed=given.seed,
            disk=given.disk,
            pause=given.pause,
            quiet=given.quiet,
        )
    for problem in report.problems[:20]:
        print(problem)
    print(json.dumps(report.as_json()))
    sys.exit(1 if report.problems else 0)


if __name__ == "__main__":
    main()
