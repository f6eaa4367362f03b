"""How quick the observation log is, as ratios measured in one run, on an embedded Postgres of its own.

Row `append service`: rows a second by `log.append_all` in batches of 500, to those of bare psycopg that inserts the
same rows into the same tables, batches taken in turns; goal 0.7 or more. Row `append http`: the same through the API
of a real web process, one client with one connection; goal 0.3 or more. Row `append copy`: the service to COPY.

Rows `growth by scope`, `growth by source`, `growth by recent`: the median time of a question at the larger size of
the log to that at the smaller one, in turns, the worst of the variants shown above them; goal 1.5 or less. The log
spreads over a year, and what is asked about differs each time. Row `memory`: what the process that asks takes.

    python bench/obslog.py [--large] [--small N] [--big N] [--batches N] [--questions N]

The small sizes take some three minutes, `--large` (5 million observations) some ten.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.support import server
from bench.support.obslog_data import USERS, load

if TYPE_CHECKING:
    from memoryserver.accounts.models import User
    from obslog.incoming import NewObservation

BATCH = 500
Rows = list[tuple[str, float]]


def batch(chance: random.Random) -> list[NewObservation]:
    from memoryserver.common.ids import uuid7
    from obslog.incoming import NewObservation

    return [
        NewObservation(
            type=f"task.{chance.randrange(20)}",
            source=f"agent:{chance.randrange(50)}",
            message=f"message number {number} says what happened in a line of usual length",
            data={"n": number, "path": f"src/app/module_{number}.py", "ok": True},
            scope_ids=[f"task-{chance.randrange(10_000)}", "project-1"],
            id=uuid7(),
        )
        for number in range(BATCH)
    ]


def bare_psycopg(name: str = "") -> Any:
    import psycopg
    from django.db import connection

    settings = connection.settings_dict
    return psycopg.connect(host=settings["HOST"], user=settings["USER"], dbname=name or settings["NAME"])


OBSERVATION = "id, user_id, type, source, message, data, created_at"
SCOPE = "observation_id, scope_id, user_id"


def tuples(user: User, news: list[NewObservation]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What bare psycopg is given, made beforehand."""
    observations = [
        (new.id, user.pk, new.type, new.source, new.message, json.dumps(new.data), new.id.int >> 80)  # type: ignore[union-attr]
        for new in news
    ]
    return observations, [(new.id, scope_id, user.pk) for new in news for scope_id in new.scope_ids]


def insert(bare: Any, observations: list[tuple[Any, ...]], scopes: list[tuple[Any, ...]]) -> None:
    with bare.cursor() as cursor:
        for table, columns, rows in (("observation", OBSERVATION, observations), ("scope", SCOPE, scopes)):
            values = ", ".join(["%s"] * len(rows[0]))
            cursor.executemany(f"INSERT INTO obslog_{table} ({columns}) VALUES ({values})", rows)
    bare.commit()


def copy(bare: Any, observations: list[tuple[Any, ...]], scopes: list[tuple[Any, ...]]) -> None:
    with bare.cursor() as cursor:
        for table, columns, rows in (("observation", OBSERVATION, observations), ("scope", SCOPE, scopes)):
            with cursor.copy(f"COPY obslog_{table} ({columns}) FROM STDIN") as lines:
                for row in rows:
                    lines.write_row(row)
    bare.commit()


class Web:
    """A real web process, and one connection to it."""

    def __init__(self, token: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        options = ["--worker-class", "gthread", "--threads", "8", "--keep-alive", "60", "--log-level", "error"]
        command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", *options, "--no-control-socket"]
        root = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen([*command, "memoryserver.wsgi"], cwd=root)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        deadline = time.monotonic() + 60
        while True:
            try:
                self._ask("GET", "/api/v1/whoami", None)
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                self._connection.close()
                time.sleep(0.2)

    def append(self, body: bytes) -> None:
        answer = json.loads(self._ask("POST", "/api/v1/observations", body))
        assert {result["status"] for result in answer["results"]} == {"stored"}

    def close(self) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.wait()

    def _ask(self, method: str, path: str, body: bytes | None) -> bytes:
        self._connection.request(method, path, body, self._headers)
        response = self._connection.getresponse()
        content = response.read()
        assert response.status == 200, content
        return content


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure_append(user: User, batches: int) -> Rows:
    """Everything in turns, so that a busy moment meets all alike."""
    from memoryserver.accounts import tokens
    from obslog import log

    _, token = tokens.issue(user, "bench")
    chance = random.Random(1)
    times: dict[str, list[float]] = {name: [] for name in ("bare", "copy", "service", "http")}
    with contextlib.closing(bare_psycopg()) as bare, contextlib.closing(Web(token)) as web:
        for _ in range(batches):
            news = [batch(chance) for _ in times]
            sent = [{**vars(new), "id": str(new.id), "created_at": None} for new in news[3]]
            body = json.dumps({"observations": sent}).encode()
            inserted, copied = tuples(user, news[0]), tuples(user, news[1])
            times["bare"].append(timed(lambda rows=inserted: insert(bare, *rows)))  # type: ignore[misc]
            times["copy"].append(timed(lambda rows=copied: copy(bare, *rows)))  # type: ignore[misc]
            times["service"].append(timed(lambda rows=news[2]: log.append_all(user, rows)))  # type: ignore[misc]
            times["http"].append(timed(lambda body=body: web.append(body)))  # type: ignore[misc]
    rates = {name: BATCH / statistics.median(seconds) for name, seconds in times.items()}
    for name, rate in rates.items():
        print(f"{'append ' + name:<34}{rate:>8.0f} rows/s")
    return [
        ("append service", rates["service"] / rates["bare"]),
        ("append http", rates["http"] / rates["bare"]),
        ("append copy", rates["service"] / rates["copy"]),
    ]


def questions(user: User, total: int, chance: random.Random) -> dict[str, Callable[[], object]]:
    """Each asks for something else at each call."""
    from obslog import log
    from obslog.query import Filter

    def task() -> Filter:
        return Filter(scope_ids=[f"task-{chance.randrange(total // 40)}"])

    def agent() -> Filter:
        return Filter(source=f"agent:{chance.randrange(total // 997)}")

    def project() -> Filter:
        return Filter(scope_ids=[f"project-{chance.randrange(10)}"])

    cursor = log.find_recent(user).cursor
    return {
        "scope: a task": lambda: log.find_many(user, task()),
        "scope: a project": lambda: log.find_many(user, project()),
        "scope: three of them": lambda: log.find_recent(
            user, Filter(scope_ids=[*task().scope_ids, *task().scope_ids, *project().scope_ids])
        ),
        "source: an agent": lambda: log.find_many(user, agent()),
        "source: a category": lambda: log.find_many(user, Filter(source="system:")),
        "source: a category, newest": lambda: log.find_recent(user, Filter(source="system:")),
        "recent: all": lambda: log.find_recent(user),
        "recent: a type": lambda: log.find_recent(user, Filter(type=f"task.{chance.randrange(20)}")),
        "recent: nothing new": lambda: log.find_many(user, cursor=cursor),
    }


class Sizes:
    """A database for each size, between which this process changes at will."""

    def __init__(self, users: list[User], totals: list[int]) -> None:
        from django.db import connection, connections

        self._databases = {}
        name = connection.settings_dict["NAME"]
        connection.close()
        for total in totals:
            with bare_psycopg("postgres") as bare:
                bare.autocommit = True
                bare.execute(f"CREATE DATABASE size_{total} TEMPLATE {name}")
            database = connections.create_connection("default")
            database.settings_dict = {**database.settings_dict, "NAME": f"size_{total}"}
            self._databases[total] = database
            self.use(total)
            seconds = timed(lambda total=total: load(users, total))  # type: ignore[misc]
            print(f"{'loaded ' + format(total, ','):<34}{seconds:>8.0f} s")

    def use(self, total: int) -> None:
        from django.db import connections

        connections["default"] = self._databases[total]

    def close(self) -> None:
        for database in self._databases.values():
            database.close()


def megabytes() -> float:
    """What this process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_growth(users: list[User], small: int, big: int, count: int) -> Rows:
    """Both sizes in turns, after all questions were warmed up."""
    sizes = Sizes(users, [small, big])
    ask, memory = {}, {}
    for total in (small, big):
        sizes.use(total)
        ask[total] = questions(users[USERS - 1], total, random.Random(2))
        for question in ask[total].values():
            for _ in range(10):
                question()
        memory[total] = megabytes()
    ratios = {}
    for name in ask[small]:
        times: dict[int, list[float]] = {small: [], big: []}
        for number in range(count):
            for total in (small, big) if number % 2 else (big, small):
                sizes.use(total)
                times[total].append(timed(ask[total][name]))
        before, after = (statistics.median(seconds) for seconds in times.values())
        ratios[name] = after / before
        print(f"{name:<34}{before * 1e3:>8.2f} ms{after * 1e3:>8.2f} ms{ratios[name]:>8.2f}")
    print(f"{'memory':<34}{memory[small]:>8.0f} MB{memory[big]:>8.0f} MB")
    sizes.close()
    kinds = ("scope", "source", "recent")
    worst = [(kind, max(ratio for name, ratio in ratios.items() if name.startswith(kind))) for kind in kinds]
    return [*((f"growth by {kind}", ratio) for kind, ratio in worst), ("memory", memory[big] / memory[small])]


def measure(small: int, big: int, batches: int, count: int) -> Rows:
    from memoryserver.accounts.models import User
    from obslog import partitions

    users = [User.objects.create(username=f"user{number}") for number in range(USERS)]
    for months_ago in range(0, 13, 3):
        partitions.ensure(datetime.now(UTC) - timedelta(days=30 * months_ago))
    return [*measure_append(users[0], batches), *measure_growth(users, small, big, count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=100_000, help="observations at the smaller size (100000)")
    parser.add_argument("--big", type=int, default=1_000_000, help="observations at the larger size (1000000)")
    parser.add_argument("--large", action="store_true", help="five million at the larger size")
    parser.add_argument("--batches", type=int, default=30, help="batches of each way to append (30)")
    parser.add_argument("--questions", type=int, default=100, help="repetitions of each question (100)")
    args = parser.parse_args()
    os.environ["MEMORYSERVER_EMBEDDING_SERVICE"] = "tests.support.embedder.WordEmbedder"  # nothing is embedded here
    with server.running():
        rows = measure(args.small, 5_000_000 if args.large else args.big, args.batches, args.questions)
    for what, ratio in rows:
        print(f"{what:<34}{ratio:>8.2f}")
    print(json.dumps({"bench": "obslog", "rows": [{"what": what, "ratio": round(ratio, 3)} for what, ratio in rows]}))


if __name__ == "__main__":
    main()
