"""Databases with the schema and no rows, for servers that tests start: migrating takes longer than most of these tests.

The tests' own server has such a database, under the name that a server uses. Copies of it are databases beside it, or
the files of a Postgres of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from memoryserver.common import files
from memoryserver.database import embedded_data_dir, embedded_socket_dir, uses_external_server
from memoryserver.ops.postgres import EmbeddedPostgres, binaries

NAME = "memoryserver"
_LIMIT = 240.0  # seconds for another worker to make the files


def keep_copy() -> None:
    """Copy the tests' database, which must be empty, unless it is on a server of the developer's."""
    if uses_external_server():
        return
    if has_tests_database():
        connection.close()  # a database that somebody uses cannot be copied
        _execute(_socket(), "DROP DATABASE {}", NAME)
        _execute(_socket(), "CREATE DATABASE {} TEMPLATE {}", NAME, _name())
    else:
        call_command("migrate", verbosity=0)
        connection.close()


def has_tests_database() -> bool:
    """Whether one of the tests that run uses the database, so that pytest-django has made it."""
    return _name() != NAME


class Migrated:
    """Makes copies of what `keep_copy` kept. `shared` is a folder of all workers of a run.

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


def _socket() -> Path:
    return embedded_socket_dir(Path(os.environ["MEMORYSERVER_DATA"]))


def _execute(socket: Path, statement: str, *names: str) -> None:
    with psycopg.connect(host=str(socket), user="memoryserver", dbname="postgres", autocommit=True) as session:
        session.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
