"""Checks of the database: that it answers, its version, pgvector and the migrations."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from memoryserver import database
from memoryserver.common.counted import counted
from memoryserver.ops.doctor import Finding
from memoryserver.ops.postgres import PostgresError, check_version
from memoryserver.ops.preflight import PreflightError, check_database
from memoryserver.outages.errors import reason_of

_POOLED = "set MEMORYSERVER_PGBOUNCER=1; without it, locks of jobs that end stay held"
_DIRECT = "set MEMORYSERVER_DIRECT_DATABASE_URL to Postgres' own address; pg_dump needs one session"


def embedded_version() -> Iterator[Finding]:
    """Check that the installed Postgres can read the embedded one's files."""
    if database.uses_external_server():
        return
    try:
        check_version(database.embedded_data_dir(settings.DATA_DIR))
    except PostgresError as error:
        what, _, fix = str(error).partition("; run: ")
        yield Finding(what, fix)


def answers() -> Iterator[Finding]:
    """Check that the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        yield Finding(f"the database does not answer: {reason_of(error)}", database.way_out())


def pooling() -> Iterator[Finding]:
    """Check that the settings know of a PgBouncer, and how backups get past it.

    PgBouncer gives each client the number of a process that it made up, as what a client cancels its query with.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    if process != connection.connection.info.backend_pid and not database.is_pooled(connection):
        yield Finding("the database is reached through PgBouncer, which the server does not know", _POOLED)
    if database.is_pooled(connection) and settings.BACKUP_DIR and database.direct_configuration() is None:
        yield Finding("backups cannot be made through PgBouncer", _DIRECT)


def pgvector() -> Iterator[Finding]:
    """Check that pgvector is installed, in a version that does not damage indexes."""
    try:
        check_database()
    except PreflightError as error:
        what, _, fix = str(error).partition("; ")
        yield Finding(what, fix or "install pgvector on the machine of the database")


def migrations() -> Iterator[Finding]:
    """Check that all migrations of this release are applied, and none of a newer one."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        first = missing[0][0]
        yield Finding(
            f"{counted(len(missing), 'migration')} not applied, first {first.app_label}.{first.name}",
            "manage.py prepare (manage.py up does it at the start)",
        )
    disk = set(executor.loader.disk_migrations)
    ours = {app for app, _ in disk}
    unknown = sorted(key for key in MigrationRecorder(connection).applied_migrations() if key not in disk)
    newer = [f"{app}.{name}" for app, name in unknown if app in ours]
    if newer:
        yield Finding(
            f"the database is of a newer release: it has the migration {newer[0]}, which this one does not know",
            "install that release; or restore this one's backup, the server stopped: manage.py restore FILE --replace",
        )
