"""Capture under kill -9: at the end each learning is in the database exactly once.

A writer appends to three transcripts, now and then half a line, or an old line once more; the way to the server is cut
and repaired; and the daemon, which makes a cycle every few hundredths of a second, is killed at random moments, five
hundred times. The server is a web process' inside (Django in threads, over HTTP) with a Postgres of its own.

    python bench/capture_crash.py [--kills 500] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support import server
from tests.support.agents.claude_transcripts import Transcript
from tests.support.fakes.relay import Relay
from tests.support.laptops.capture_laptop import cause

ROOT = Path(__file__).resolve().parent.parent
START_LIMIT = 60.0


class Writer(threading.Thread):
    """Appends to three transcripts until it is told to end; `written` are the learnings in whole lines."""

    def __init__(self, root: Path, seed: int) -> None:
        super().__init__(daemon=True)
        self._random = random.Random(seed)
        self._over = threading.Event()
        self._transcripts = [Transcript(root / f"-p{number}" / f"session-{number}.jsonl") for number in range(3)]
        self._records: dict[int, list[bytes]] = {0: [], 1: [], 2: []}
        self.written: list[str] = []

    def run(self) -> None:
        while not self._over.wait(self._random.uniform(0.005, 0.04)):
            self._write()

    def end(self) -> None:
        self._over.set()
        self.join()

    def _write(self) -> None:
        which = self._random.randrange(3)
        transcript, records = self._transcripts[which], self._records[which]
        if records and self._random.random() < 0.1:
            transcript.raw(self._random.choice(records))  # history that comes back
            return
        said = cause(len(self.written) + 1)
        line = json.dumps(transcript.record("assistant", _message(said))).encode() + b"\n"
        half = self._random.randrange(len(line)) if self._random.random() < 0.3 else 0
        transcript.raw(line[:half])
        if half:
            time.sleep(self._random.uniform(0, 0.03))
        transcript.raw(line[half:])
        records.append(line)
        self.written.append(said)


def _message(text: str) -> dict[str, object]:
    return {"role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": text}]}


@dataclass
class Outcome:
    """What a trial wrote, and how it went."""

    written: list[str] = field(default_factory=list)
    kills: int = 0
    ended_early: int = 0
    cuts: int = 0


def trial(url: str, token: str, work: Path, *, kills: int, seed: int) -> Outcome:
    """Kill the daemon `kills` times while the writer writes, then let it do the rest. Raises AssertionError."""
    rand = random.Random(seed)
    outcome = Outcome()
    writer = Writer(work / "projects", seed)
    down = False
    with Relay(url) as relay:
        writer.start()
        for number in range(kills):
            if not down and rand.random() < 0.3:
                relay.close()
                down = True
                outcome.cuts += 1
            child = _start(work, relay.url, token)
            _wait_for_its_first_cycle(child, work)
            time.sleep(rand.expovariate(1 / 0.15))
            if down and rand.random() < 0.5:
                relay.open()
                down = False
                time.sleep(rand.uniform(0, 0.1))
            outcome.ended_early += _kill(child)
            outcome.kills += 1
            if (number + 1) % 50 == 0:
                print(f"{number + 1} kills, {len(writer.written)} learnings written", file=sys.stderr)
        writer.end()
        if down:
            relay.open()
        outcome.written = writer.written
        _finish(work, relay.url, token)
    left = list((work / "home" / "learning_queue").rglob("*.json"))
    assert [path.name for path in left if not path.name.startswith(".")] == []
    return outcome


def _kill(child: subprocess.Popen[bytes]) -> bool:
    """Kill the daemon; return whether it had already ended. Raises AssertionError if it reported an exception."""
    ended = child.poll() is not None
    child.kill()
    _, said = child.communicate()
    assert "Traceback" not in said.decode(), said.decode()
    return ended


def _finish(work: Path, url: str, token: str) -> None:
    """Capture and deliver what is left. Raises AssertionError if a command fails."""
    for action in (["run", "--once", "--root", str(work / "projects")], ["process", "--now"]):
        command = [sys.executable, "-m", "memorycli", "capture", *action]
        done = subprocess.run(command, env=_environment(work, url, token), cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def _environment(work: Path, url: str, token: str) -> dict[str, str]:
    given = {"MEMORYSERVER_HOME": str(work / "home"), "MEMORYSERVER_URL": url, "MEMORYSERVER_TOKEN": token}
    return {**os.environ, **given, "HOME": str(work)}


def _start(work: Path, url: str, token: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bench.capture_crash", "--daemon", str(work / "projects")]
    environment = _environment(work, url, token)
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _wait_for_its_first_cycle(child: subprocess.Popen[bytes], work: Path) -> None:
    """Until it has begun: most of a short life would else be Python's start."""
    begun = work / "home" / "daemon.lock"
    deadline = time.monotonic() + START_LIMIT
    while child.poll() is None and time.monotonic() < deadline:
        try:
            if int(begun.read_bytes() or b"0") == child.pid:
                return
        except (FileNotFoundError, ValueError):
            pass
        time.sleep(0.005)


def daemon(root: Path) -> None:
    """`memory capture run` with hardly a rest between cycles."""
    from capture.local.service.daemon import ContinuousCaptureDaemon
    from capture.local.service.stopping import stop_by_signals
    from memorycli.commands.capturing import capture_run
    from memorycli.delivery import alerts
    from memoryserver.client import home_folder

    with stop_by_signals() as stop:
        ContinuousCaptureDaemon(
            home_folder.path(), capture_run.sink, stop, roots=[root], interval=(0.0, 0.05), alert=alerts.alert
        ).run()


def check(written: list[str], stored: Counter[str]) -> None:
    """Each learning once, and nothing else. Raises AssertionError."""
    lost = [text for text in written if not stored[text]]
    twice = [text for text, times in stored.items() if times > 1]
    assert not lost, f"lost: {lost[:3]} and {len(lost)} in all"
    assert not twice, f"twice: {twice[:3]} and {len(twice)} in all"
    assert set(stored) == set(written)


@contextmanager
def serving() -> Iterator[tuple[str, str]]:
    """The server's address and a token for it."""
    with server.running():
        from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
        from django.core.wsgi import get_wsgi_application

        from memoryserver.accounts import tokens
        from memoryserver.accounts.models import User

        class Quiet(WSGIRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nobody reads it."""

        _, token = tokens.issue(User.objects.create_user("ada"), "crash")
        listening = ThreadedWSGIServer(("127.0.0.1", 0), Quiet, ipv6=False, connections_override=None)
        listening.set_app(get_wsgi_application())
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}", token
        finally:
            listening.shutdown()
            listening.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--daemon", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.daemon:
        daemon(args.daemon)
        return
    work = Path(tempfile.mkdtemp(prefix="memoryserver-crash-"))
    try:
        with serving() as (url, token):
            from capture.models import Capture, Learning

            began = time.monotonic()
            outcome = trial(url, token, work, kills=args.kills, seed=args.seed)
            check(outcome.written, Counter(Learning.objects.values_list("content", flat=True)))
            captures = Capture.objects.count()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    figures = {
        "kills": outcome.kills,
        "learnings": len(outcome.written),
        "lost": 0,
        "twice": 0,
        "captures": captures,
        "server cut": outcome.cuts,
        "minutes": round((time.monotonic() - began) / 60, 1),
    }
    for what, figure in figures.items():
        print(f"{what:<12}{figure:>10}")
    print(
        json.dumps({"bench": "capture_crash", "rows": [{"what": what, "ratio": one} for what, one in figures.items()]})
    )


if __name__ == "__main__":
    main()
