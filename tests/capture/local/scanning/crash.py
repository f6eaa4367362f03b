"""Run as a process: stops a daemon's cycle at every file operation, or simulates a full disk there, and checks.

The cycle has two transcripts with new messages, one that was read before, a queue file that waits, a damaged one, and
one whose learnings the server has. The server is a file to which each queue file is appended. Prints one JSON object.
"""

from __future__ import annotations

import sys

from tests.support.laptops import faults

FAULTS = faults.install()

import json  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import tempfile  # noqa: E402
import traceback  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from capture.local.queue.files import QUEUE_FOLDER  # noqa: E402
from capture.local.queue.sink import ClosedSink, Receipt, Sink  # noqa: E402
from capture.local.service.daemon import ContinuousCaptureDaemon, Cycle  # noqa: E402
from capture.local.service.stopping import Stop  # noqa: E402
from tests.support.agents.claude_transcripts import Transcript  # noqa: E402
from tests.support.laptops.capture_laptop import Laptop, cause  # noqa: E402

EXPECTED = [cause(number) for number in range(1, 8)]


class FileServer:
    """Stores queue files in a file; what it has confirmed is not lost."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def store(self, content: dict[str, Any]) -> Receipt:
        FAULTS.disarm()
        new = content["capture_id"] not in self.captures()
        if new:
            with self.path.open("a") as file:
                file.write(json.dumps(content) + "\n")
        FAULTS.resume()
        return Receipt(content["capture_id"], len(content["learnings"]), duplicate=not new)

    def captures(self) -> dict[str, list[str]]:
        """Return the learnings of each stored capture, by its id."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        files = map(json.loads, lines)
        return {file["capture_id"]: [learning["content"] for learning in file["learnings"]] for file in files}


def cycle(base: Path, sink: Sink) -> Cycle:
    roots = [base / "projects"]
    daemon = ContinuousCaptureDaemon(base / "home", lambda: sink, Stop(), roots=roots, alert=lambda _: None)
    return daemon.run(once=True)


def prepare(base: Path) -> None:
    laptop = Laptop(base)
    first, second, third = (Transcript(laptop.root / f"-p{number}" / f"s{number}.jsonl") for number in (1, 2, 3))
    first.agent(cause(1))
    second.agent(cause(2))
    cycle(base, ClosedSink("offline"))
    cycle(base, FileServer(base / "server"))
    for path in (laptop.home / QUEUE_FOLDER).glob(".retries.json"):
        path.unlink()
    first.agent(cause(3))
    cycle(base, ClosedSink("offline"))
    (laptop.home / QUEUE_FOLDER / ".retries.json").unlink()
    (laptop.home / QUEUE_FOLDER / "1_poison.json").write_text("{")
    second.agent(cause(4))
    second.agent(cause(5))
    third.agent(cause(6))
    third.boundary()
    third.agent(cause(7))


def check(base: Path) -> list[str]:
    """The daemon comes up again; what is wrong then."""
    server = FileServer(base / "server")
    for _ in range(2):
        done = cycle(base, server)
        for path in (base / "home" / QUEUE_FOLDER).glob(".retries.json"):
            path.unlink()
    sent = Counter(learning for learnings in server.captures().values() for learning in learnings)
    wrong = [f"lost: {text}" for text in EXPECTED if not sent[text]]
    wrong += [f"sent {times} times: {text}" for text, times in sent.items() if times > 1]
    wrong += done.errors
    if done.delivered.waiting:
        wrong.append(f"{done.delivered.waiting} still wait")
    failed = [path.name for path in (base / "home" / QUEUE_FOLDER / "failed").glob("*.json")]
    if failed != ["1_poison.json"]:
        wrong.append(f"failed: {failed}")
    return wrong


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run `work` in a child process; return its exit status, and its result or the traceback."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status, result = 0, ""
        try:
            result = json.dumps(work())
        except BaseException:  # noqa: BLE001 - the traceback goes to the parent
            status, result = 1, json.dumps(traceback.format_exc())
        FAULTS.disarm()
        os.write(writer, result.encode())
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), json.loads(result or "null")


def run_struck(base: Path, at: int | None, strike: Callable[[], None] | None) -> tuple[int, Any]:
    """Run a cycle in which `strike` is called at the moment `at`; return as `in_child` does."""

    def work() -> list[str]:
        FAULTS.arm(at, strike)
        cycle(base, FileServer(base / "server"))
        FAULTS.disarm()
        assert FAULTS.unseen == [], FAULTS.unseen
        return FAULTS.moments

    return in_child(work)


def main(mode: str, stride: int, scratch: Path) -> dict[str, Any]:
    """Stop a cycle at every `stride`th of its file operations; return all of these, and what went wrong."""
    template = scratch / "template"
    prepare(template)
    shutil.copytree(template, scratch / "whole")
    status, moments = run_struck(scratch / "whole", None, None)
    assert status == 0, moments
    failures = []
    for at, moment in list(enumerate(moments))[::stride]:
        base = scratch / str(at)
        shutil.copytree(template, base)
        status, result = run_struck(base, at, faults.fail_full if mode == "full" else None)
        expected = 0 if mode == "full" else faults.EXIT_STATUS
        if status != expected and not (mode == "full" and at < 3):  # its own lock: then it does not start
            failures.append(f"{at} {moment}: {status} {result}")
        status, wrong = in_child(lambda: check(base))  # noqa: B023 - runs at once
        if status or wrong:
            failures.append(f"{at} {moment}: {wrong}")
        shutil.rmtree(base)
    return {"moments": moments, "failures": failures}


if __name__ == "__main__":
    logging.disable()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        print(json.dumps(main(sys.argv[1], int(sys.argv[2]), Path(folder))))
