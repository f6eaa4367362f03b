"""Kill or suspend each process of a running server in turn, idle and busy, and wait until jobs run again.

    .venv/bin/python bench/kill_parts.py [ROUNDS]

Starts a server of its own in a temporary folder. 20 rounds take about an hour, since the web server and the workers are
given half a minute before a suspended one is replaced. Ends with status 1 at the first process that is not replaced;
prints the seconds that each kind took: the median and the longest.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.support.server_process import Server, processes_of

PARTS = ("qcluster", "gunicorn", "gunicorn worker")


def run(rounds: int, folder: Path) -> None:
    """Run `rounds` rounds and print the times."""
    server = Server(folder / "data", MEMORYSERVER_EMBEDDING_SERVICE="tests.support.embedder.WordEmbedder").start()
    seconds: dict[str, list[float]] = {}
    try:
        for _ in range(rounds):
            for number in (signal.SIGKILL, signal.SIGSTOP):
                for part in PARTS:
                    for busy in (False, True):
                        kind = f"{part}, {'busy' if busy else 'idle'}, {number.name}"
                        seconds.setdefault(kind, []).append(_replaced_after(server, part, number, busy=busy))
    finally:
        server.stop(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while left := processes_of(folder):
        if time.monotonic() > deadline:
            sys.exit(f"left running: {left}")
        time.sleep(0.5)
    for kind, times in seconds.items():
        print(f"{kind:35} median {statistics.median(times):5.1f} s, longest {max(times):5.1f} s of {len(times)}")


def _replaced_after(server: Server, part: str, number: signal.Signals, *, busy: bool) -> float:
    """Return the seconds until the process is replaced, the server is ready and a new job has run."""
    if busy:
        server.run_long_job()
    pid = server.pid_of(part)
    began = time.monotonic()
    os.kill(pid, number)
    server.wait_until_gone(pid)
    server.wait_until_ready()
    if not busy or part == "qcluster":  # else the job of a minute is still running
        server.wait_until_jobs_run()
    return time.monotonic() - began


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        run(int(sys.argv[1]) if len(sys.argv) > 1 else 20, Path(name))
