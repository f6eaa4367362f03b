"""The database as backups see it: how programs connect to it, what is in it, and that it runs meanwhile."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import pq
from psycopg.conninfo import make_conninfo

from memoryserver import database
from memoryserver.common.files import LockTimeoutError, lock
from memoryserver.ops.backups import BackupError
from memoryserver.ops.postgres import EmbeddedPostgres, PostgresError

LOCK_NAME = "up.lock"
"""The file in the data folder that a running server holds locked."""

_TABLES = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND NOT EXISTS (
        SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
    )
ORDER BY relname
"""
_OTHER_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def _session() -> BaseDatabaseWrapper:
    direct = database.direct_configuration()
    if direct is not None:
        past_the_pool = connection.copy()
        past_the_pool.settings_dict = {**connection.settings_dict, "OPTIONS": {}, **direct}
        return past_the_pool
    if database.is_pooled(connection):
        raise BackupError(
            "backups cannot be made or restored through PgBouncer; "
            "set MEMORYSERVER_DIRECT_DATABASE_URL to Postgres' own address"
        )
    return connection


def conninfo() -> tuple[str, dict[str, str]]:
    """Return the address of the server's database for libpq, and the environment in which its programs are run.

    The password is in the environment: everybody can read a process' command line. Raises BackupError if only the
    address of a PgBouncer is known, through which these programs cannot work: their sessions are of many transactions.
    """
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    parameters = {name: value for name, value in _session().get_connection_params().items() if name in known}
    password = parameters.pop("password", None)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PGCONNECT_TIMEOUT": "30"}
    if password:
        environment["PGPASSWORD"] = str(password)
    return make_conninfo(**parameters), environment


def connect() -> psycopg.Connection[tuple[object, ...]]:
    """Open a connection of its own, beside Django's. Raises BackupError if the database does not answer."""
    address, environment = conninfo()
    try:
        return psycopg.connect(address, password=environment.get("PGPASSWORD"), connect_timeout=30)
    except psycopg.Error as error:
        raise BackupError(f"Postgres cannot be used: {' '.join(str(error).split())}") from error


def row_counts(session: psycopg.Connection[tuple[object, ...]]) -> dict[str, int]:
    """Return the exact number of rows of each table, partitions by themselves."""
    names = [str(name) for (name,) in session.execute(_TABLES)]
    counts = {}
    for name in names:
        query = psycopg.sql.SQL("SELECT count(*) FROM public.{}").format(psycopg.sql.Identifier(name))
        counts[name] = _number(session.execute(query).fetchone())
    return counts


def applied_migrations(session: psycopg.Connection[tuple[object, ...]]) -> dict[str, list[str]]:
    """Return the names of the applied migrations by app. Raises BackupError if the database has none."""
    try:
        rows = session.execute("SELECT app, name FROM django_migrations ORDER BY app, name").fetchall()
    except psycopg.errors.UndefinedTable as error:
        raise BackupError("this database has nothing of memoryserver: there is nothing to back up") from error
    migrations: dict[str, list[str]] = {}
    for app, name in rows:
        migrations.setdefault(str(app), []).append(str(name))
    return migrations


def major_of(version: str) -> int:
    """Return the major version in a version such as "18.4"."""
    return int(version.partition(".")[0])


def server_version(session: psycopg.Connection[tuple[object, ...]]) -> str:
    """Return the version of the Postgres server, such as "18.4"."""
    number = session.info.server_version
    return f"{number // 10_000}.{number % 10_000}"


def other_sessions(session: psycopg.Connection[tuple[object, ...]]) -> int:
    """Return how many other sessions use the database."""
    return _number(session.execute(_OTHER_SESSIONS).fetchone())


@contextlib.contextmanager
def data_folder_locked() -> Iterator[None]:
    """Hold the data folder for the block, so that no server runs or starts. Raises BackupError if one does."""
    try:
        with lock(settings.DATA_DIR / LOCK_NAME, timeout=0):
            yield
    except LockTimeoutError as error:
        raise BackupError("the server is running; stop it first, and start it again afterwards") from error


@contextlib.contextmanager
def running(*, server_may_run: bool) -> Iterator[None]:
    """Have the database run for the block: an embedded Postgres that does not run is started, and stopped afterwards.

    Unless `server_may_run`, no server of this data folder runs or starts meanwhile, and a database is made where there
    is none. Raises BackupError if a server runs, if there is no database, or if Postgres cannot be started.
    """
    if database.uses_external_server():
        yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(data_folder_locked())
        except BackupError:
            if not server_may_run:
                raise
        else:
            postgres = EmbeddedPostgres(settings.DATA_DIR)
            if server_may_run and not database.embedded_data_dir(settings.DATA_DIR).exists():
                raise BackupError(f"{settings.DATA_DIR} has no database; set MEMORYSERVER_DATA to the data folder")
            if not postgres.responds():
                try:
                    postgres.start()
                except PostgresError as error:
                    raise BackupError(str(error)) from error
                stack.callback(postgres.stop)
        stack.callback(connection.close)
        yield


def _number(row: tuple[object, ...] | None) -> int:
    assert row is not None
    return int(str(row[0]))
