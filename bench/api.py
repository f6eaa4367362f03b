"""How many requests a second the endpoints take in which agents wait, beside a bare endpoint with one INSERT.

The bare one is django-ninja in the same web server, with neither authentication nor middleware nor limits. Each
endpoint is measured in turns with it, so a busy moment meets both. `ratio` is that of requests a second to the bare
one's of the same turn, `items` that of learnings, calls or observations. Limits, the log and observers are on. `CPU` is
that of the web server for one request; `statements` includes BEGIN and COMMIT.

    python bench/api.py [--clients 32] [--seconds 5] [--rounds 4] [--only hook]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.load import Load, send
from bench.support.server import running

ROOT = Path(__file__).resolve().parent.parent
SESSIONS = 64
BATCH = 20
WORDS = (
    *("build", "cache", "test", "index", "parser", "retry", "worker", "token"),
    *("queue", "schema", "lock", "page", "socket", "thread", "vector", "module"),
)
Made = Callable[[int], bytes]


def hook_event(number: int) -> bytes:
    """A tool call as Claude Code posts it, in one of many sessions: reads, edits and commands in turn."""
    session, turn = number % SESSIONS, number // SESSIONS
    path = f"/home/dev/shop/src/{WORDS[turn % 16]}_{turn % 7}.py"
    tool, arguments, response = [
        ("Read", {"file_path": path}, {"type": "text", "file": {"content": f"value = {turn}\n" * 30}}),
        ("Edit", {"file_path": path, "old_string": f"a = {turn}", "new_string": f"a = {turn + 1}"}, {"filePath": path}),
        (
            "Bash",
            {"command": f"grep -n {WORDS[turn % 13]}_{turn} src/*.py"},
            {"stdout": f"{path}:{turn}", "stderr": ""},
        ),
    ][turn % 3]
    return _json(
        {
            "session_id": f"5d2c7a10-0000-4000-8000-{session:012}",
            "transcript_path": f"/home/dev/.claude/projects/-home-dev-shop/{session}.jsonl",
            "cwd": "/home/dev/shop",
            "permission_mode": "default",
            "hook_event_name": "PostToolUse",
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": f"toolu_{number:08}",
            "duration_ms": 40,
            "tool_response": response,
        }
    )


def learning(number: int) -> bytes:
    """One learning by hand, each another one."""
    return _json({"type": "gotcha", "content": _sentence(number), "project": "github.com/dev/shop"})


def queue_file(number: int) -> bytes:
    """A queue file with new learnings of one transcript, as `memory sync` sends it."""
    learnings = [
        {"type": "gotcha", "content": _sentence(number * BATCH + each), "confidence": 0.8, "source_message_index": each}
        for each in range(BATCH)
    ]
    return _json(
        {
            "capture_id": f"00000000-0000-4000-8000-{number:012}",
            "context_id": f"claude-code-{number % SESSIONS}",
            "captured_at": "2025-11-20T12:00:00Z",
            "message_range": [0, BATCH],
            "compaction_number": 0,
            "learnings": learnings,
            "metadata": {"project": "github.com/dev/shop"},
        }
    )


def calls(number: int) -> bytes:
    """Tool calls of one session, as `memory sync` sends them from a journal."""
    each = [json.loads(hook_event(number % SESSIONS + SESSIONS * (number * BATCH + turn))) for turn in range(BATCH)]
    names = ("tool_name", "tool_input", "tool_use_id")
    sent = [{"id": f"{number}-{turn}"} | {name: call[name] for name in names} for turn, call in enumerate(each)]
    return _json({"session_id": f"batch-{number % SESSIONS}", "project": "github.com/dev/shop", "calls": sent})


def observations(number: int) -> bytes:
    """Observations for the log."""
    rows = [
        {
            "type": "bench.note",
            "source": "agent:bench",
            "message": _sentence(number * BATCH + each),
            "scope_ids": ["bench"],
        }
        for each in range(BATCH)
    ]
    return _json({"observations": rows})


def _sentence(number: int) -> str:
    first, second, third = (WORDS[number // 16**place % 16] for place in range(3))
    return f"The {first} of the {second} needs a {third} before step {number}, or it fails with code {number % 97}."


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


@dataclass(frozen=True)
class Endpoint:
    """An endpoint with what is sent to it, and how many items that has."""

    path: str
    made: Made
    items: int = 1


ENDPOINTS: Mapping[str, Endpoint] = {
    "hook": Endpoint("/api/v1/hooks/claude-code", hook_event),
    "learning": Endpoint("/api/v1/learnings", learning),
    "queue file": Endpoint("/api/v1/capture/queue-files", queue_file, BATCH),
    "calls": Endpoint("/api/v1/trajectory/calls", calls, BATCH),
    "observations": Endpoint("/api/v1/observations", observations, BATCH),
}


@contextmanager
def web_server(which: str, **environment: str) -> Iterator[tuple[int, int]]:
    """Run a web server; yield its port and the process id of its one worker."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "bench.support.web_process", which, str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | environment)
    try:
        deadline = time.monotonic() + 60
        while not (children := Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the web server did not start")
            time.sleep(0.1)
        while time.monotonic() < deadline and not _responds(port):
            time.sleep(0.1)
        yield port, int(children[0])
    finally:
        process.terminate()
        process.wait(30)


def _responds(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
    except OSError:
        return False
    return True


@dataclass
class Measured:
    """One turn of one endpoint."""

    load: Load
    cpu: float


def measure(
    server: tuple[int, int], endpoint: Endpoint, numbers: Any, seconds: float, clients: int, token: str
) -> Measured:
    """Send requests for `seconds`; raises RuntimeError for a status of a failure."""
    port, pid = server
    headers = f"Authorization: Bearer {token}\r\n" if token else ""
    before = _cpu(pid)
    load = send(port, endpoint.path, endpoint.made, clients=clients, seconds=seconds, headers=headers, numbers=numbers)
    count = len(load.latencies)
    if set(load.statuses) - {200, 201}:
        raise RuntimeError(f"{endpoint.path}: statuses {dict(load.statuses)}")
    return Measured(load, 1000 * (_cpu(pid) - before) / count)


def _cpu(pid: int) -> float:
    """Return the seconds of processor time that a process has had."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def statements(endpoint: Endpoint, numbers: Iterator[int], token: str) -> float:
    """Return how many statements a request sends, BEGIN and COMMIT included: the mean of some rounds, in this process.

    Before them are two rounds in which it learns of the sessions.
    """
    from django.db import connection, reset_queries
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    counts = []
    for _ in range((7 if endpoint.items == 1 else 3) * SESSIONS):
        reset_queries()  # the log of them ends at 9,000
        with CaptureQueriesContext(connection) as captured:
            Client().post(
                endpoint.path,
                endpoint.made(next(numbers)),
                content_type="application/json",
                headers={"authorization": f"Bearer {token}", "host": "127.0.0.1"},
            )
        counts.append(len(captured))
    return statistics.mean(counts[2 * SESSIONS :])


def prepare() -> str:
    """Make the bare endpoint's table, a user and a token; return its text."""
    from django.db import connection

    from memoryserver.accounts import tokens
    from memoryserver.accounts.models import User

    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE bench_row (id bigserial PRIMARY KEY, session_id varchar(200) NOT NULL, body jsonb NOT NULL, "
            "received_at timestamptz NOT NULL)"
        )
    user = User.objects.create_user("bench", "bench@example.org", "bench")
    return tokens.issue(user, "bench")[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0, help="of one turn")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", choices=ENDPOINTS, action="append")
    arguments = parser.parse_args()
    names = arguments.only or list(ENDPOINTS)
    os.environ["MEMORYSERVER_REQUESTS_PER_MINUTE"] = "10000000"  # counted, and never reached
    os.environ["MEMORYSERVER_EMBEDDING_URL"] = (
        "http://127.0.0.1:9/v1"  # no job runs here; a model would be loaded first
    )
    with ExitStack() as stack:
        stack.enter_context(running())
        token = prepare()
        bare = stack.enter_context(web_server("bare"))
        product = stack.enter_context(web_server("product"))
        numbers = {name: itertools.count() for name in [*names, "bare"]}
        rows: list[dict[str, object]] = []
        print(f"{'':14}{'bare/s':>9}{'req/s':>9}{'ratio':>7}{'items':>7}{'p50 ms':>8}{'p99 ms':>8}{'bare p99':>9}"
              f"{'CPU ms':>8}{'bare CPU':>9}{'statements':>11}")  # fmt: skip
        for name in names:
            endpoint = ENDPOINTS[name]
            beside = Endpoint("/bare", hook_event)
            pairs = []
            for turn in range(arguments.rounds + 1):
                size = arguments.seconds if turn else 1.0  # the first one is for warming up
                one = measure(bare, beside, numbers["bare"], size, arguments.clients, "")
                other = measure(product, endpoint, numbers[name], size, arguments.clients, token)
                pairs.append((one, other))
            rows += report(name, endpoint, pairs[1:], statements(endpoint, numbers[name], token))
    print(json.dumps({"bench": "api", "rows": rows}))


def report(
    name: str, endpoint: Endpoint, pairs: list[tuple[Measured, Measured]], sent: float
) -> list[dict[str, object]]:
    """Print one line: medians over the turns. Return the rows of JSON: rate and 99th percentile beside the bare one."""

    def median(value: Callable[[tuple[Measured, Measured]], float]) -> float:
        return statistics.median(map(value, pairs))

    ratio = median(lambda pair: pair[1].load.rate / pair[0].load.rate)
    print(
        f"{name:14}{median(lambda p: p[0].load.rate):9.0f}{median(lambda p: p[1].load.rate):9.0f}{ratio:7.2f}"
        f"{ratio * endpoint.items:7.2f}{median(lambda p: p[1].load.percentile(50)):8.1f}"
        f"{median(lambda p: p[1].load.percentile(99)):8.1f}{median(lambda p: p[0].load.percentile(99)):9.1f}"
        f"{median(lambda p: p[1].cpu):8.2f}{median(lambda p: p[0].cpu):9.2f}{sent:11.1f}",
        flush=True,
    )
    slower = median(lambda pair: pair[1].load.percentile(99) / pair[0].load.percentile(99))
    return [{"what": f"{name} rate", "ratio": round(ratio, 3)}, {"what": f"{name} p99", "ratio": round(slower, 3)}]


if __name__ == "__main__":
    main()
