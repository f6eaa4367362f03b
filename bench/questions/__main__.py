"""What a question costs over HTTP, by one client and by eight, in memories of several sizes, and where its time goes.

    python -m bench.questions [--sizes 2000,10000,100000] [--questions 80] [--draining 2000]

`manage.py up` as its operator runs it, with int8 or not as the environment says. Each question is new, so each is
embedded. Rows `questions N`: the median of one client's whole answer to the part of it in which the model and the
database compute (`Server-Timing`: model and rank). Rows `eight clients N`: answers a second to one client's. Rows
`draining N`: the median of one client while a job embeds what waits, to that without. The last line is JSON.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.questions.data import Memory, questions

CLIENTS = 8
MODES = ("hybrid", "semantic")
WAITING = 6_000
PARTS = {"web": "gunicorn", "model": "embedding", "database": "postgres"}
_PHASE = re.compile(r"(\w+);dur=([\d.]+)")


@dataclass(frozen=True)
class Answer:
    """Milliseconds of the whole answer, and of each phase by its name in Server-Timing."""

    ms: float
    phases: dict[str, float]


@dataclass(frozen=True)
class Answers:
    """What some clients got, and within how many seconds.

    `processor` has the milliseconds of a processor for each question, by part of the server.
    """

    each: Sequence[Answer]
    seconds: float

    processor: dict[str, float]

    @property
    def median(self) -> float:
        """Milliseconds."""
        return statistics.median(answer.ms for answer in self.each)

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.each) / self.seconds

    def phase(self, name: str) -> float:
        """The median of this phase in the answers that have it, in milliseconds."""
        return statistics.median(answer.phases[name] for answer in self.each if name in answer.phases)

    def told(self) -> str:
        """The medians in words."""
        names = list(dict.fromkeys(name for answer in self.each for name in answer.phases))
        late = sorted(answer.ms for answer in self.each)[int(len(self.each) * 0.95)]
        phases = ", ".join(f"{name} {self.phase(name):.1f}" for name in names)
        spent = ", ".join(f"{name} {ms:.1f}" for name, ms in self.processor.items())
        return (
            f"median {self.median:6.1f} ms, 95 % within {late:6.1f}, {self.rate:5.1f} a second; {phases}; "
            f"of a processor: {spent}"
        )


def main() -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="2000,10000,100000", help="numbers of memories, ascending")
    parser.add_argument("--questions", type=int, default=80, help="of one client; eight ask three times as many")
    parser.add_argument("--draining", type=int, default=2_000, help="size at which it is measured while a job embeds")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="memoryserver-bench-") as folder:
        rows = _measure(Path(folder) / "data", sizes, options)
    print(json.dumps({"bench": "questions", "rows": rows}))


def _measure(data: Path, sizes: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    from memoryserver.database import embedded_socket_dir
    from tests.support.processes.server_process import Server

    data.mkdir()
    server = Server(data, MEMORYSERVER_REQUESTS_PER_MINUTE="1000000", MEMORYSERVER_LOG_LEVEL="WARNING").start()
    try:
        server.wait_until_ready()
        socket = embedded_socket_dir(data)
        os.environ |= {"MEMORYSERVER_DATA": str(data), "DJANGO_SETTINGS_MODULE": "memoryserver.settings"}
        os.environ["DATABASE_URL"] = f"postgresql://memoryserver@/memoryserver?host={quote(str(socket), safe='')}"
        import django

        django.setup()
        return _rows(server, sizes, options)
    finally:
        server.stop()


def _rows(server: Any, sizes: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    from memoryserver.accounts.models import User
    from memoryserver.embedding.shared.address import default_socket
    from memoryserver.embedding.shared.client import SharedService

    memory = Memory(User.objects.get(), SharedService(path=str(default_socket(server.data_dir))))
    asked = questions()
    rows: list[dict[str, Any]] = []
    for size in sizes:
        memory.grow(size)
        server.manage("index_vectors")
        for mode in MODES:
            ask(server, mode, asked, CLIENTS, CLIENTS)  # opens connections, brings pages into memory
            one = ask(server, mode, asked, 1, options.questions)
            eight = ask(server, mode, asked, CLIENTS, 3 * options.questions)
            print(f"{size:8,} {mode:8} 1 client:  {one.told()}\n{'':17} {CLIENTS} clients: {eight.told()}", flush=True)
            rows.append(_row(f"questions {size} {mode}", one.median / (one.phase("model") + one.phase("rank"))))
            rows.append(_row(f"eight clients {size} {mode}", eight.rate / one.rate))
        if size == options.draining:
            rows += _while_draining(server, memory, size, asked, options.questions)
    return rows


def _while_draining(server: Any, memory: Memory, size: int, asked: Iterator[str], count: int) -> list[dict[str, Any]]:
    """As many learnings are made to wait that the job is not done before the questions are."""
    from capture.models import Learning

    rows = []
    before = {mode: ask(server, mode, asked, 1, count).median for mode in MODES}
    memory.wait(WAITING)
    waiting = Learning.objects.filter(Learning.pending())
    deadline = time.monotonic() + 120
    while waiting.count() >= WAITING and time.monotonic() < deadline:
        time.sleep(0.5)
    for mode in MODES:
        one = ask(server, mode, asked, 1, count)
        eight = ask(server, mode, asked, CLIENTS, 3 * count)
        print(f"draining {mode:8} 1 client:  {one.told()}\n{'':17} {CLIENTS} clients: {eight.told()}", flush=True)
        rows.append(_row(f"draining {size} {mode}", one.median / before[mode]))
    left = waiting.count()
    if not 0 < left < WAITING:
        raise RuntimeError(f"{left} of {WAITING} learnings wait, so no job embedded meanwhile")
    waiting.delete()
    return rows


def ask(server: Any, mode: str, asked: Iterator[str], clients: int, count: int) -> Answers:
    """Ask `count` questions from `clients` threads, each by a connection that stays open."""
    waiting = [next(asked) for _ in range(count)]
    answers: list[Answer] = []
    token, before = server.token(), _processor(server)

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        while True:
            try:
                words = waiting.pop()
            except IndexError:
                return connection.close()
            answers.append(_asked(connection, token, mode, words))

    threads = [threading.Thread(target=client) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(answers) != count:
        raise RuntimeError(f"{count - len(answers)} of {count} questions were not answered")
    seconds, after = time.perf_counter() - began, _processor(server)
    spent = {
        part: sum(time - before[part].get(pid, 0.0) for pid, time in times.items()) for part, times in after.items()
    }
    return Answers(answers, seconds, {part: 1000 * time / count for part, time in spent.items()})


def _processor(server: Any) -> dict[str, dict[int, float]]:
    """Seconds of a processor that each process of each part of the server has had."""
    families = {part: _family(server.pid_of(word)) for part, word in PARTS.items()}
    return {part: {pid: _seconds(pid) for pid in pids} for part, pids in families.items()}


def _family(pid: int) -> list[int]:
    """The process and its children."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def _seconds(pid: int) -> float:
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:  # an autovacuum that has ended
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _asked(connection: http.client.HTTPConnection, token: str, mode: str, words: str) -> Answer:
    path = f"/api/v1/search?q={quote(words)}&mode={mode}"
    started = time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    body = json.loads(response.read())
    ms = (time.perf_counter() - started) * 1000
    if response.status != http.client.OK or body["note"]:
        raise RuntimeError(f"{response.status}: {body}")
    phases = _PHASE.findall(response.headers["Server-Timing"])
    return Answer(ms, {name: float(value) for name, value in phases})


def _row(what: str, ratio: float) -> dict[str, Any]:
    return {"what": what, "ratio": round(ratio, 4)}


if __name__ == "__main__":
    main()
