"""Databases with the schema and no rows: migrating takes longer than most tests.

The tests' own server has such a database, under the name that a server uses. Copies of it are the tests' database and
others beside it, or the files of a Postgres of its own. In a distributed run one process migrates for all workers.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import django
import psycopg
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from memoryserver.common import files
from memoryserver.database import embedded_data_dir, embedded_socket_dir, uses_external_server
from memoryserver.ops.postgres import EmbeddedPostgres, binaries
from memoryserver.ops.processes import with_parent

NAME = "memoryserver"
_RESULT = "migrated.result"  # a file: nothing, or what went wrong
_LIMIT = 240.0  # seconds for another process to make the files


def started(data_dir: Path) -> EmbeddedPostgres:
    """Start the Postgres of `data_dir`, in which no commit waits for the disk, nor in copies of its files.

    Only a power cut could tell: whatever process is killed, the kernel keeps what it wrote.
    """
    server = EmbeddedPostgres(data_dir)
    server.start()
    with _session(embedded_socket_dir(data_dir)) as session:
        session.execute("ALTER SYSTEM SET fsync = off")
        session.execute("SELECT pg_reload_conf()")
    return server


def in_background() -> subprocess.Popen[bytes]:
    """Start a process that makes migrated files in this process' MEMORYSERVER_DATA, for all workers of a run."""
    return subprocess.Popen(with_parent([sys.executable, "-W", "ignore", "-m", __name__]))


def copy_from_background(source: Path, data_dir: Path) -> None:
    """Wait for what `in_background` makes in `source`, and put a copy into `data_dir`."""
    result = source / _RESULT
    deadline = time.monotonic() + _LIMIT
    while not result.exists():
        assert time.monotonic() < deadline, f"no {result}"
        time.sleep(0.05)
    assert result.read_text() == ""
    shutil.copytree(embedded_data_dir(source), embedded_data_dir(data_dir))


def use_as_template() -> None:
    """Migrate the database NAME, unless it is, and have Django copy the tests' database from it.

    A server of the developer's is left alone: there the tests' database is migrated itself.
    """
    if uses_external_server():
        return
    if not MigrationRecorder(connection).has_table():
        call_command("migrate", verbosity=0)
    connection.close()  # a database that somebody uses cannot be copied
    connection.settings_dict["TEST"]["TEMPLATE"] = NAME


def has_tests_database() -> bool:
    """Whether one of the tests that run uses the database, so that pytest-django has made it."""
    return _name() != NAME


class Migrated:
    """Makes copies of the database NAME. `shared` is a folder of all workers of a run.

    Where DATABASE_URL names a server of the developer's nothing is copied: what is started migrates by itself.
    """

    def __init__(self, shared: Path) -> None:
        self._shared = shared

    @contextmanager
    def database(self) -> Iterator[str]:
        """Yield the DATABASE_URL of a copy in the tests' Postgres; it is dropped at the end."""
        name = f"migrated_{uuid.uuid4().hex[:12]}"
        _execute(_socket(), "CREATE DATABASE {} TEMPLATE {}", name, NAME)
        try:
            yield f"postgres://memoryserver@{quote(str(_socket()), safe='')}/{name}"
        finally:
            _execute(_socket(), "DROP DATABASE {} WITH (FORCE)", name)

    def files(self, data_dir: Path) -> Path:
        """Put a copy into `data_dir`, where an embedded Postgres has its files, and return `data_dir`."""
        if not uses_external_server():
            with files.lock(self._shared / "migrated.lock", timeout=_LIMIT):
                made = self._shared / "migrated"
                if not made.exists():
                    self._make_files(made)
            data_dir.mkdir(parents=True, exist_ok=True)
            shutil.copytree(embedded_data_dir(made), embedded_data_dir(data_dir))
        return data_dir

    def _make_files(self, made: Path) -> None:
        """Copy the tests' server, and drop their database there."""
        new = made.with_name("migrated.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        words = ["-h", str(_socket()), "-U", "memoryserver", "-c", "fast", "-D", str(embedded_data_dir(new))]
        subprocess.run([str(binaries() / "pg_basebackup"), *words], check=True, capture_output=True)
        server = EmbeddedPostgres(new)
        server.start()
        if has_tests_database():
            _execute(embedded_socket_dir(new), "DROP DATABASE {}", _name())
        server.stop()
        new.rename(made)


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _data_dir() -> Path:
    return Path(os.environ["MEMORYSERVER_DATA"])


def _socket() -> Path:
    return embedded_socket_dir(_data_dir())


def _execute(socket: Path, statement: str, *names: str) -> None:
    with _session(socket) as session:
        session.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _session(socket: Path) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(host=str(socket), user="memoryserver", dbname="postgres", autocommit=True)


def _main() -> None:
    """Be the process of `in_background`."""
    data_dir, result = _data_dir(), "it was interrupted"
    gc.disable()  # a tenth of its time, while the workers wait
    try:
        django.setup()
        server = started(data_dir)
        call_command("migrate", verbosity=0)
        connection.close()
        server.stop()
        result = ""
    except Exception:
        result = traceback.format_exc()
        raise
    finally:
        files.write_atomic(data_dir / _RESULT, result)


if __name__ == "__main__":
    _main()
