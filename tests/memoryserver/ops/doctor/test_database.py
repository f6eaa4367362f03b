from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from memoryserver.database import embedded_socket_dir
from memoryserver.ops.doctor import Finding, database
from memoryserver.ops.postgres import VERSION
from tests.support.database.restored_server import Target
from tests.support.processes.pgbouncer_process import PgbouncerProcess


def test_database_that_answers_with_all_migrations_has_no_findings(db: None) -> None:
    checks = (database.answers, database.pooling, database.pgvector, database.migrations)
    assert [finding for check in checks for finding in check()] == []


def test_data_of_another_postgres_names_the_command(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings.DATA_DIR = tmp_path
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("17\n")

    (finding,) = database.embedded_version()

    what = f"{tmp_path}/postgres has data of PostgreSQL 17, which the installed PostgreSQL {VERSION} cannot read"
    assert finding == Finding(what, "manage.py upgrade_database")


def test_database_that_cannot_be_reached_is_named(target: Target) -> None:
    done = target.manage("doctor", DATABASE_URL="postgres://nobody@127.0.0.1:1/none")

    assert done.returncode == 1
    assert "WRONG  database: the database does not answer:" in done.stdout
    assert "To fix: start Postgres, or correct DATABASE_URL" in done.stdout


def test_pgbouncer_that_the_server_does_not_know_is_named(target: Target, tmp_path: Path) -> None:
    pgbouncer = PgbouncerProcess(embedded_socket_dir(Path(os.environ["MEMORYSERVER_DATA"])))
    try:
        through_it = {"DATABASE_URL": pgbouncer.address("postgres"), "MEMORYSERVER_BACKUP_DIR": str(tmp_path)}
        unknown, known = (
            " ".join(target.manage("doctor", **through_it, MEMORYSERVER_PGBOUNCER=said).stdout.split())
            for said in ("0", "1")
        )
    finally:
        pgbouncer.remove()

    assert "PgBouncer: the database is reached through PgBouncer, which the server does not know To fix" in unknown
    assert (
        "PgBouncer: backups cannot be made through PgBouncer To fix: set MEMORYSERVER_DIRECT_DATABASE_URL to" in known
    )
    assert "does not know" not in known


def test_migration_that_is_not_applied_is_named(db: None) -> None:
    MigrationRecorder(connection).record_unapplied("ops", "0003_rename_told_at_to_notified_at")

    (finding,) = database.migrations()

    assert finding.what == "1 migration not applied, first ops.0003_rename_told_at_to_notified_at"
    assert finding.fix == "manage.py prepare (manage.py up does it at the start)"


def test_migration_of_a_newer_release_is_named(db: None) -> None:
    MigrationRecorder(connection).record_applied("ops", "0999_later")

    (finding,) = database.migrations()

    assert finding.what == (
        "the database is of a newer release: it has the migration ops.0999_later, which this one does not know"
    )


def test_migration_of_an_app_that_was_removed_is_no_finding(db: None) -> None:
    MigrationRecorder(connection).record_applied("formerapp", "0001_initial")

    assert list(database.migrations()) == []
