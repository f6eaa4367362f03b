"""A whole server as its operator runs it: `manage.py up` as a process, with a data folder of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import LiteralString

import psycopg

from memoryserver.database import embedded_socket_dir
from memoryserver.ops.processes import with_parent

ROOT = Path(__file__).resolve().parents[3]
START_LIMIT = 240.0  # seconds, for a machine that is busy with other tests
POLL = 0.05  # seconds between two looks, which cost something themselves


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def processes_of(data_dir: Path, word: str = "") -> dict[int, str]:
    """Every process whose environment names `data_dir`, or whose command line does: pid to command line.

    Only those with `word` in their command line.
    """
    pids = (int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid())
    return {pid: command for pid in pids if (command := _command(pid, data_dir, word))}


def _command(pid: int, data_dir: Path, word: str = "") -> str:
    """The command line of a process of `data_dir` with `word` in it; "" for any other."""
    mine = str(data_dir).encode()
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        command = line.replace(b"\0", b" ").decode(errors="replace").strip()
        if word in command and (mine in line or mine in Path(f"/proc/{pid}/environ").read_bytes()):
            return command
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        pass  # it has ended meanwhile, or is the system's
    return ""


def _started(pid: int) -> int:
    """When a process began, in the system's ticks; its number says nothing of it, since numbers come round."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


class Server:
    """Start it, read what it says, use it, end it."""

    def __init__(self, data_dir: Path, *, port: int | None = None, folder: Path = ROOT, **environment: str) -> None:
        self.data_dir = data_dir
        self._folder = folder
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._payloads: dict[str, str] = {}  # of jobs: it takes a process of Django to make one
        self._environment = {**os.environ, "MEMORYSERVER_DATA": str(data_dir), **environment}
        self._environment.pop("DJANGO_SETTINGS_MODULE", None)

    def leave_to_default(self, name: str) -> None:
        """Start without this variable of the tests' environment."""
        del self._environment[name]

    def start(self) -> Server:
        self.launch()
        self.wait_until_up()
        return self

    def launch(self) -> None:
        self.log = self.data_dir.with_name(f"{self.data_dir.name}.{time.time_ns()}.log")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                with_parent([sys.executable, str(ROOT / "manage.py"), "up", "--port", str(self.port)]),
                cwd=self._folder,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.log.read_text()

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + START_LIMIT
        while "memoryserver is up" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(POLL)

    def wait(self) -> int:
        return self.process.wait(START_LIMIT)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def kill_part(self, what: str) -> None:
        """kill -9 of the oldest process whose command line has `what`: the one that forked the others."""
        os.kill(min(processes_of(self.data_dir, what), key=_started), signal.SIGKILL)

    def pid_of(self, part: str) -> int:
        """The process of `part`: the oldest with it in its command line, or the youngest web process of all."""
        word, _, worker = part.partition(" ")
        wanted = "postgres -D" if word == "postgres" else f"manage.py {word}"
        pids: list[int] = []

        def found() -> bool:
            pids[:] = self._pids_of(wanted)
            return bool(pids)

        self._wait(found)  # a restart is preceded by a pause
        return max(pids, key=_started) if worker else min(pids, key=_started)

    def _pids_of(self, wanted: str) -> list[int]:
        return list(processes_of(self.data_dir, wanted))

    def wait_until_gone(self, pid: int) -> None:
        self._wait(lambda: not _command(pid, self.data_dir))

    def wait_until_ready(self) -> None:
        self._wait(self._is_ready)

    def wait_until_jobs_run(self) -> None:
        """Enqueue a job and wait until it has run."""
        self._execute("DELETE FROM django_q_task WHERE func = 'builtins.len'")
        self._enqueue("'builtins.len', 'abc'")
        self._wait(lambda: self.count("SELECT count(*) FROM django_q_task WHERE func = 'builtins.len' AND success") > 0)

    def run_long_job(self) -> Callable[[], None]:
        """Enqueue a job of up to a minute and wait until a worker runs it; return the function that ends it."""
        folder = self.data_dir.with_name(f"{self.data_dir.name}.job")
        folder.mkdir(exist_ok=True)
        started, ended = folder / "started", folder / "ended"
        started.unlink(missing_ok=True)
        ended.unlink(missing_ok=True)
        payload = self._enqueue(f"'tests.support.processes.long_job.hold', {str(folder)!r}")
        self._wait(started.exists)

        def let_end() -> None:
            ended.touch()
            self._execute("DELETE FROM django_q_ormq WHERE payload = %s", payload)  # a killed worker's is run again

        return let_end

    def _enqueue(self, arguments: str) -> str:
        """Enqueue the job that `async_task` makes of `arguments`, always with the same payload, which is returned."""
        if arguments not in self._payloads:
            printing = "SimpleNamespace(list_key='', enqueue=print)"
            imports = "from types import SimpleNamespace; from django_q.tasks import async_task"
            said = self.manage("shell", "-c", f"{imports}; async_task({arguments}, broker={printing})")
            self._payloads[arguments] = said.splitlines()[-1]
        payload = self._payloads[arguments]
        self._execute("INSERT INTO django_q_ormq (key, payload, lock) VALUES ('memory', %s, now())", payload)
        return payload

    def _is_ready(self) -> bool:
        try:
            return '"ready": true' in self.get("/readyz")
        except OSError:
            return False

    def is_loaded(self) -> bool:
        """Whether the server can embed."""
        try:
            checks = json.loads(self.get("/readyz"))["checks"]
        except OSError:
            return False
        return bool(checks["embedding model"]["good"])

    def count(self, query: LiteralString) -> int:
        with self._database() as connection:
            (number,) = connection.execute(query).fetchone() or (0,)
        return int(number)

    def _execute(self, statement: LiteralString, *values: str) -> None:
        with self._database() as connection:
            connection.execute(statement, values)

    def _database(self) -> psycopg.Connection[tuple[int, ...]]:
        """Connect to the database; waits while it recovers."""
        host = str(embedded_socket_dir(self.data_dir))
        deadline = time.monotonic() + START_LIMIT
        while True:
            try:
                return psycopg.connect(host=host, user="memoryserver", dbname="memoryserver")
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise AssertionError(self.said()) from error
                time.sleep(POLL)

    def _wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_LIMIT
        while not condition():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(POLL)

    def token(self) -> str:
        match = re.search(r"API token (\S+)", self.said())
        assert match is not None, self.said()
        return match[1]

    def manage(self, *words: str) -> str:
        """What `manage.py` with these words prints."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            body: bytes = answer.read()
        return body.decode()
