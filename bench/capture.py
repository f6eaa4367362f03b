"""What capture costs, as ratios measured in one run; figures that are no ratios are megabytes or milliseconds.

idle cycle         a scan over an unchanged transcript of 100 MB, to a bare `os.stat`
one new line       a scan that finds one more line in it, to a bare open, seek and read of the line
cold read          a first scan of it, to `json.loads` of every line; by the clock, since two processes share it
queue write p99    the slowest but one in a hundred queue files, to a bare write and fsync of as much
daemon memory      megabytes at the peak of an hour's simulated work, 200 projects and a line of 15 MB among it
cycle per project  milliseconds of a cycle by project, 200 projects with something new in each

python bench/capture.py [--megabytes 100] [--projects 200] [--folder DIR]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support import transcripts
from capture.local.extraction.learning import Learning
from capture.local.queue.files import QueueFile, QueueWriter
from capture.local.scanning.scanner import Unchanged, scan

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, float]
ALSO = "(one to learn from)"  # shown beside the row before it


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cold_read(path: Path, home: Path) -> Row:
    """In turns with the baseline, three of each; the last home is left as a laptop that has read it."""
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(3):
        bare.append(seconds(lambda: decode_lines(path)))
        shutil.rmtree(home, ignore_errors=True)
        ours.append(seconds(lambda: scan(home, [path.parent])))
    return "cold read", f"{min(ours):.2f} s to {min(bare):.2f} s", min(ours) / min(bare)


def decode_lines(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def idle_cycle(path: Path, home: Path, rounds: int) -> Row:
    unchanged: Unchanged = {}  # as the daemon has it from cycle to cycle
    scan(home, [path.parent], unchanged=unchanged)
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        ours.append(seconds(lambda: scan(home, [path.parent], unchanged=unchanged)))
        bare.append(seconds(lambda: [os.stat(path) for _ in range(100)]) / 100)
    mine, stat = statistics.median(ours), statistics.median(bare)
    return "idle cycle", f"{mine * 1e6:.0f} us to {stat * 1e6:.1f} us", mine / stat


def one_new_line(path: Path, home: Path, rounds: int, *, learning: bool) -> Row:
    """A line with nothing to learn in it, as most are, or one with."""
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        text = "" if learning else "Now let me look at how that is done."
        line = transcripts.line_for(number, text=text)
        end = path.stat().st_size
        with path.open("ab") as file:
            file.write(line)
        report = scan_timed(home, path, ours)
        assert (report.messages, bool(report.learnings)) == (1, learning), report
        bare.append(seconds(lambda: read_at(path, end)))  # noqa: B023 - runs at once
    mine, read = statistics.median(ours), statistics.median(bare)
    what = ALSO if learning else "one new line"
    return what, f"{mine * 1e6:.0f} us to {read * 1e6:.1f} us", mine / read


def scan_timed(home: Path, path: Path, times: list[float]) -> Any:
    start = time.perf_counter()
    report = scan(home, [path.parent])
    times.append(time.perf_counter() - start)
    return report


def read_at(path: Path, offset: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read()


def queue_write(folder: Path, rounds: int) -> Row:
    """Of ten learnings, each file into a queue that grows; in turns with the baseline."""
    learnings = [Learning("gotcha", f"Number {number}: " + "words " * 40, 0.9, number) for number in range(10)]
    writer = QueueWriter(folder / "queue")
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        made = QueueFile(f"context-{number % 20}", "2026-03-01T10:00:00Z", (number, number + 9), 0, learnings)
        content = json.dumps(made.to_dict()).encode()
        ours.append(seconds(lambda: writer.write(made)))  # noqa: B023
        bare.append(seconds(lambda: bare_write(folder / f"bare-{number}", content)))  # noqa: B023
    mine, write = (statistics.quantiles(times, n=100)[98] for times in (ours, bare))
    return "queue write p99", f"{mine * 1e3:.2f} ms to {write * 1e3:.2f} ms", mine / write


def bare_write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, content)
    os.fsync(descriptor)
    os.close(descriptor)


def projects(root: Path, count: int, *, lines: int) -> list[Path]:
    """One transcript in each of so many projects."""
    paths = [root / f"-home-dev-{number}" / f"session-{number}.jsonl" for number in range(count)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.writelines(transcripts.line_for(lines * number + one, session=path.stem) for one in range(lines))
    return paths


def cycle_per_project(folder: Path, count: int) -> Row:
    paths = projects(folder / "projects", count, lines=20)
    unchanged: Unchanged = {}
    scan(folder / "home", [folder / "projects"], unchanged=unchanged)
    times = []
    for turn in range(3):
        for number, path in enumerate(paths):
            with path.open("ab") as file:
                file.write(transcripts.line_for(10_000_000 + 1000 * turn + number, session=path.stem))
        times.append(seconds(lambda: scan(folder / "home", [folder / "projects"], unchanged=unchanged)))
    per_project = statistics.median(times) / count * 1000
    return "cycle per project", f"{per_project:.2f} ms", per_project


def daemon_memory(folder: Path, count: int) -> Row:
    """Of a process that does as `memory capture run` does, its pauses skipped."""
    with confirming() as url:
        command = [sys.executable, "-m", "bench.support.capture_hour", str(folder), str(count)]
        given = {"MEMORYSERVER_HOME": str(folder / "home"), "MEMORYSERVER_URL": url, "MEMORYSERVER_TOKEN": "token"}
        done = subprocess.run(
            command, env={**os.environ, **given}, cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    what = (
        f"{said['peak']:.1f} MB; {said['start']:.1f} at its start, {said['cycles']} cycles, {said['stored']} delivered"
    )
    return "daemon memory", what, said["peak"]


@contextmanager
def confirming() -> Iterator[str]:
    """A server that confirms every queue file; its address."""

    class Confirming(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            body = json.loads(gzip.decompress(content) if packed else content)
            answer = {"capture_id": body.get("capture_id"), "stored": len(body.get("learnings", [])), "known": 0}
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Confirming)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def measure(folder: Path, size: float, count: int) -> Iterator[Row]:
    path = folder / "large" / "-home-dev-shop" / f"{transcripts.SESSION}.jsonl"
    transcripts.write(path, size)
    home = folder / "large-home"
    cold = cold_read(path, home)
    yield idle_cycle(path, home, 300)
    yield one_new_line(path, home, 60, learning=False)
    yield one_new_line(path, home, 60, learning=True)
    yield cold
    (folder / "writes").mkdir()
    yield queue_write(folder / "writes", 600)
    (folder / "hour").mkdir()
    projects(folder / "hour" / "projects", count, lines=20)
    yield daemon_memory(folder / "hour", count)
    (folder / "cycles").mkdir()
    yield cycle_per_project(folder / "cycles", count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=100, help="of the large transcript (default 100)")
    parser.add_argument("--projects", type=int, default=200, help="how many (default 200)")
    parser.add_argument("--folder", type=Path, help="the disk to measure on (default: that of temporary files)")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=args.folder))
    rows = []
    try:
        for what, said, ratio in measure(folder, args.megabytes, args.projects):
            print(f"{what:<24}{ratio:>10.2f}   {said}", flush=True)
            if what != ALSO:
                rows.append({"what": what, "ratio": round(ratio, 3)})
    finally:
        shutil.rmtree(folder)
    print(json.dumps({"bench": "capture", "rows": rows}))


if __name__ == "__main__":
    main()
