"""Kill or suspend each process of a running server in turn, idle and busy, and wait until it works again.

    python bench/kill_parts.py [--rounds 20] [--servers 3]

Servers of its own in a temporary folder share the rounds. A round takes many minutes, since a suspended process is
given half a minute before it is replaced. A busy server runs a job and answers requests. What is killed is replaced by
`manage.py up`; where that itself or Postgres dies, everything ends and is started once more, as a service manager does.
It works again when `/readyz` says so, of the embedding process too, and a new job has run.

A row is the median time of one kind to that of the same look at a server where nothing was killed. Ends with status 1
if anything did not work again; the other rounds are run all the same.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.processes.server_process import Server, processes_of

BASELINE = "nothing killed"
REPLACED = ("embedding", "qcluster", "gunicorn", "gunicorn worker", "checkpointer")
RESTARTED = ("up", "postgres")
# A suspended `up` is the service manager's business (WatchdogSec), a suspended checkpointer harms nobody for hours.
NEVER_SUSPENDED = ("up", "checkpointer")
LIMIT = 120.0  # seconds
FAILURES = (AssertionError, OSError, subprocess.SubprocessError)


@dataclass(frozen=True)
class Kind:
    """Which process gets which signal, and what the server does meanwhile."""

    part: str
    signal: signal.Signals
    busy: bool

    def __str__(self) -> str:
        return f"{self.part}, {'busy' if self.busy else 'idle'}, {self.signal.name}"


KINDS = [
    Kind(part, number, busy)
    for number in (signal.SIGKILL, signal.SIGSTOP)
    for part in (*REPLACED, *RESTARTED)
    for busy in (False, True)
    if number == signal.SIGKILL or part not in NEVER_SUSPENDED
]


@dataclass
class Results:
    """The seconds of each kind, and what did not work again; filled by one thread for each server."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, label: str, seconds: float) -> None:
        with self._lock:
            self.seconds.setdefault(kind, []).append(seconds)
            print(f"{label} {kind}: {seconds:.1f} s", flush=True)

    def fail(self, kind: str, label: str, reason: str) -> None:
        with self._lock:
            self.failures.append(kind)
            print(f"{label} {kind}: FAILED\n{reason}", flush=True)


def run_rounds(name: str, rounds: range, folder: Path, results: Results) -> None:
    """Run these rounds at a server in `folder`, which is started again wherever a kind fails."""
    server = Server(folder / "data")
    label = f"{name}:"
    try:
        server.start()
        with busy(server):
            pass
        wait_until_it_works(server)  # so that no first time is among those that are compared
        for number in rounds:
            label = f"{name}, round {number + 1}:"
            results.add(BASELINE, label, timed(lambda: wait_until_it_works(server)))
            for kind in KINDS:
                try:
                    results.add(str(kind), label, seconds_until_it_works(server, kind))
                except FAILURES as error:
                    results.fail(str(kind), label, str(error)[-3000:])
                    end(server)
                    server.start()
        end(server)
    except FAILURES as error:  # the other servers go on
        results.fail("start or end", label, str(error)[-3000:])
    finally:
        server.stop(signal.SIGKILL)


def seconds_until_it_works(server: Server, kind: Kind) -> float:
    """Send the signal and return the seconds until another process does the work."""
    with busy(server) if kind.busy else contextlib.nullcontext() as let_end:
        pid = child_of_postgres(server, kind.part) if kind.part == "checkpointer" else server.pid_of(kind.part)
        began = time.monotonic()
        os.kill(pid, kind.signal)
        if kind.part in RESTARTED:
            server.wait()
            wait_until_all_ended(server)
            server.start()
        elif kind.part == "checkpointer":
            wait_until(lambda: not Path(f"/proc/{pid}").exists(), lambda: "the checkpointer is still there")
        else:
            server.wait_until_gone(pid)
        if let_end is not None:
            let_end()  # the one worker has no time for another job before
        wait_until_it_works(server)
        return time.monotonic() - began


@contextlib.contextmanager
def busy(server: Server) -> Iterator[Callable[[], None]]:
    """Have the server run a job and answer requests, one after the other; yield what ends the job."""
    finished = threading.Event()

    def request() -> None:
        while not finished.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):  # as long as it is down
                server.get("/readyz")
            finished.wait(0.05)

    let_end = server.run_long_job()
    thread = threading.Thread(target=request)
    thread.start()
    try:
        yield let_end
    finally:
        finished.set()
        let_end()
        thread.join()


def wait_until_it_works(server: Server) -> None:
    """Wait until the server says that it is ready and can embed, and a new job has run."""
    server.wait_until_ready()
    wait_until(server.is_loaded, lambda: "the embedding process does not respond")
    server.wait_until_jobs_run()


def child_of_postgres(server: Server, name: str) -> int:
    """Return the process of Postgres that has `name` in its title."""
    parent = server.pid_of("postgres")
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        if name in Path(f"/proc/{child}/cmdline").read_text():
            return int(child)
    raise AssertionError(f"Postgres has no {name}")


def end(server: Server) -> None:
    """Kill the server, and wait until its last process has ended."""
    server.stop(signal.SIGKILL)
    wait_until_all_ended(server)


def wait_until_all_ended(server: Server) -> None:
    """Wait until no process of the server is left; raises AssertionError with those that are."""
    wait_until(lambda: not processes_of(server.data_dir), lambda: f"left running: {processes_of(server.data_dir)}")


def wait_until(condition: Callable[[], bool], failure: Callable[[], str]) -> None:
    """Wait for `condition`; raises AssertionError with `failure` after LIMIT seconds."""
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(failure())
        time.sleep(0.1)


def timed(step: Callable[[], None]) -> float:
    """Return the seconds that `step` takes."""
    began = time.monotonic()
    step()
    return time.monotonic() - began


def main() -> None:
    """Run the rounds and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--servers", type=int, default=3)
    arguments = parser.parse_args()
    results = Results()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.servers) as pool:
        runs = []
        for number in range(arguments.servers):
            place = Path(folder) / str(number)
            place.mkdir()
            rounds = range(number, arguments.rounds, arguments.servers)
            runs.append(pool.submit(run_rounds, f"server {number + 1}", rounds, place, results))
        for run in runs:
            run.result()
    medians = {kind: statistics.median(times) for kind, times in results.seconds.items()}
    rows = []
    for kind, median in medians.items():
        times, ratio = results.seconds[kind], median / medians[BASELINE]
        print(
            f"{kind:<32}{len(times):>4} times, median {median:6.1f} s, longest {max(times):6.1f} s, ratio {ratio:6.2f}"
        )
        rows.append({"what": kind, "ratio": round(ratio, 3)})
    print(json.dumps({"bench": "kill_parts", "rows": rows, "failures": results.failures}))
    sys.exit(1 if results.failures else 0)


if __name__ == "__main__":
    main()
