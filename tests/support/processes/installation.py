"""A server of several processes, as on several machines.

They are web processes, job workers, Postgres, and if wanted a replica, PgBouncer and Redis.

A process that ends is started again by `tick`, as a service manager does. All are started by the main thread: a child
is told when the thread that started it ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg

from memoryserver.database import embedded_socket_dir
from memoryserver.ops.postgres import EmbeddedPostgres, PostgresError, binaries
from memoryserver.ops.processes import with_parent
from tests.support.processes.pgbouncer_process import PgbouncerProcess
from tests.support.processes.redis_process import RedisProcess
from tests.support.processes.server_process import POLL, ROOT, free_port

LIMIT = 120.0
EMBEDDER = "tests.support.embedder.WordEmbedder"


class Part:
    """One process of the server, with a process group and a log of its own."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.name, self.command, self.log = name, command, log
        self.environment = dict(environment)
        self.starts = 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                with_parent(self.command),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill it and its children, as a service manager does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def tick(self) -> None:
        if self.process.poll() is not None:
            self.kill()
            self.start()


class Installation:
    """Start it, disturb it, stop it. `prefixes` are words before the command of a part, by its name."""

    def __init__(
        self,
        folder: Path,
        *,
        webs: int = 1,
        workers: int = 1,
        redis: bool = False,
        replica: bool = False,
        pgbouncer: bool = False,
        prefixes: Mapping[str, Sequence[str]] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.redis = folder, RedisProcess() if redis else None
        self.ports = [free_port() for _ in range(webs)]
        self.addresses = [f"http://127.0.0.1:{port}" for port in self.ports]
        self._workers, self._prefixes, self._has_replica = workers, prefixes or {}, replica
        self._has_pgbouncer = pgbouncer
        self.pgbouncer: PgbouncerProcess | None = None
        self.postgres = self._postgres("primary")
        self.replica: EmbeddedPostgres | None = None
        self.parts: dict[str, Part] = {}
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMORYSERVER_")},
            "PYTHONPATH": str(ROOT),
            "MEMORYSERVER_DATA": str(folder / "data"),
            "DATABASE_URL": self.database("primary"),
            "MEMORYSERVER_EMBEDDING_SERVICE": EMBEDDER,
            **({"MEMORYSERVER_REDIS_URL": self.redis.url} if self.redis else {}),
            **({"MEMORYSERVER_REPLICA_URL": self.database("replica")} if replica else {}),
            **(settings or {}),
        }

    def _postgres(self, name: str) -> EmbeddedPostgres:
        (self.folder / name).mkdir(exist_ok=True)
        return EmbeddedPostgres(self.folder / name)

    def database(self, name: str = "primary") -> str:
        """The address of the primary's or the replica's database."""
        return f"postgres://memoryserver@{quote(str(embedded_socket_dir(self.folder / name)), safe='')}/memoryserver"

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self.postgres.start()
        if self._has_pgbouncer:
            self.pgbouncer = PgbouncerProcess(embedded_socket_dir(self.folder / "primary"))
            self.environment |= {
                "DATABASE_URL": self.pgbouncer.address("memoryserver"),
                "MEMORYSERVER_PGBOUNCER": "1",
                "MEMORYSERVER_DIRECT_DATABASE_URL": self.database(),
            }
        said = self.manage("prepare")
        self.token = said.split("API token ")[1].split()[0]
        if self._has_replica:
            self._start_replica()
        for number, port in enumerate(self.ports, 1):
            self.add(f"web {number}", "gunicorn", "--port", str(port))
        for number in range(1, self._workers + 1):
            self.add(f"worker {number}", "qcluster")
        for address in self.addresses:
            self.wait(partial(self.is_up, address))

    def _start_replica(self) -> None:
        self.replica = self._postgres("replica")
        words = [
            "-h",
            str(embedded_socket_dir(self.folder / "primary")),
            "-U",
            "memoryserver",
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
        ]
        copy = [str(binaries() / "pg_basebackup"), *words, "-D", str(self.folder / "replica" / "postgres")]
        subprocess.run(copy, check=True, capture_output=True)
        self.replica.start()

    def add(self, name: str, *words: str) -> None:
        """Start `manage.py` with `words` as the part `name`."""
        command = [*self._prefixes.get(name, ()), sys.executable, str(ROOT / "manage.py"), *words]
        log = self.folder / f"{name.replace(' ', '-')}.log"
        self.parts[name] = Part(name, command, self.environment, log)

    def manage(self, *words: str) -> str:
        """What `manage.py` with these words prints."""
        command = [sys.executable, str(ROOT / "manage.py"), *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def is_up(self, address: str) -> bool:
        """Whether the web process at `address` serves requests."""
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/healthz", timeout=5) as response:
            return bool(response.status == 200)
        return False

    def tick(self) -> None:
        """Start again what has ended."""
        for part in self.parts.values():
            part.tick()
        for server in (self.postgres, self.replica):
            if server is not None and server.process is not None and server.process.poll() is not None:
                with contextlib.suppress(PostgresError):  # it is tried again, as long as its disk is full
                    server.start()
        for helper in (self.redis, self.pgbouncer):
            if helper is not None and helper.process.poll() is not None:
                helper.start()

    def kill_database(self, name: str = "primary") -> None:
        """Kill Postgres' first process; its children end by themselves."""
        server = self.replica if name == "replica" else self.postgres
        assert server is not None
        assert server.process is not None
        server.process.kill()
        server.process.wait()

    def wait(self, condition: Callable[[], bool], what: str = "", limit: float = LIMIT) -> None:
        """Wait for `condition`, starting again what ends meanwhile."""
        deadline = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < deadline, f"{what}\n{self.logs()[-4000:]}"
            self.tick()
            time.sleep(POLL)

    def run_for(self, seconds: float) -> None:
        """Let it work, starting again what ends meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.tick()
            time.sleep(POLL)

    def query(self, statement: str, name: str = "primary") -> list[tuple[object, ...]]:
        """The rows of a query at the database."""
        with psycopg.connect(self.database(name), autocommit=True) as connection:
            return connection.execute(statement.encode()).fetchall()

    def pids(self, name: str) -> list[int]:
        """The processes of a part: those of its group."""
        group = self.parts[name].process.pid
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                if int((folder / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                    found.append(int(folder.name))
        return found

    def execute(self, statement: str, *values: object) -> None:
        """Run a statement at the database."""
        with psycopg.connect(self.database(), autocommit=True) as connection:
            connection.execute(statement.encode(), values)

    def logs(self) -> str:
        """What all processes have written."""
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        for part in self.parts.values():
            part.kill()
        if self.pgbouncer is not None:
            self.pgbouncer.remove()
        for server in (self.replica, self.postgres):
            if server is not None:
                server.stop()
        if self.redis is not None:
            self.redis.remove()
