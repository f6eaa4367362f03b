"""Checks of the database: that it answers, its version, pgvector and the migrations."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from memoryserver import database
from memoryserver.ops.doctor import Finding
from memoryserver.ops.postgres import PostgresError, check_version
from memoryserver.ops.preflight import PreflightError, check_database


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
        own = database.uses_external_server()
        fix = "start Postgres, or correct DATABASE_URL" if own else "start the server: manage.py up"
        yield Finding(f"the database does not answer: {' '.join(str(error).split())}", fix)


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
            f"{len(missing)} migrations are not applied, first {first.app_label}.{first.name}",
            "manage.py migrate (manage.py up does it at the start)",
        )
    disk = set(executor.loader.disk_migrations)
    ours = {app for app, _ in disk}
    unknown = sorted(key for key in MigrationRecorder(connection).applied_migrations() if key not in disk)
    newer = [f"{app}.{name}" for app, name in unknown if app in ours]
    if newer:
        yield Finding(
            f"the database is of a newer release: it has the migration {newer[0]}, which this one does not know",
            "install that release, or restore a backup of this one: manage.py restore FILE",
        )
