from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.common.files import lock
from memoryserver.ops.backups import BackupError, database


@pytest.mark.django_db(transaction=True)
def test_rows_are_counted_exactly_and_tables_of_extensions_left_out(alice: User) -> None:
    with database.connect() as session:
        session.execute('CREATE TABLE "odd \'name" AS SELECT generate_series(1, 3)')
        counts = database.row_counts(session)
        session.rollback()

    assert (counts["accounts_user"], counts["odd 'name"]) == (1, 3)


@pytest.mark.django_db
def test_password_is_in_the_environment_alone(settings: Any) -> None:
    connection.settings_dict["PASSWORD"] = "quite secret"
    try:
        address, environment = database.conninfo()
    finally:
        connection.settings_dict["PASSWORD"] = ""

    assert "secret" not in address
    assert environment["PGPASSWORD"] == "quite secret"
    assert f"dbname={connection.settings_dict['NAME']}" in address


def test_pgbouncer_without_another_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)

    with pytest.raises(BackupError, match="through PgBouncer; set MEMORYSERVER_DIRECT_DATABASE_URL to Postgres' own"):
        database.conninfo()


def test_address_past_pgbouncer_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    monkeypatch.setenv("MEMORYSERVER_DIRECT_DATABASE_URL", "postgres://grace:secret@db.example:5432/memories")

    address, environment = database.conninfo()

    assert {"host=db.example", "port=5432", "user=grace", "dbname=memories"} <= set(address.split())
    assert (environment["PGPASSWORD"], "secret" in address) == ("secret", False)


@pytest.mark.django_db(transaction=True)
def test_version_and_migrations_are_the_servers() -> None:
    with database.connect() as session:
        version = database.server_version(session)
        migrations = database.applied_migrations(session)

    assert version == connection.cursor().execute("SHOW server_version").fetchone()[0]
    assert database.major_of(version) == int(version.split(".")[0])
    assert migrations["ghap"][0] == "0001_initial"


@pytest.mark.django_db(transaction=True)
def test_other_sessions_are_counted() -> None:
    connection.close()
    with database.connect() as session:
        alone = database.other_sessions(session)
        session.rollback()  # within a transaction, the sessions are those of its first look
        with database.connect():
            assert database.other_sessions(session) == alone + 1


def test_database_without_tables_has_nothing_to_back_up(target: Any) -> None:
    with psycopg.connect(target.address) as session, pytest.raises(BackupError, match="nothing to back up"):
        database.applied_migrations(session)


def test_running_server_is_used_or_refused(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings.DATA_DIR = tmp_path
    with lock(tmp_path / database.LOCK_NAME):
        with database.running(server_may_run=True):
            pass
        with (
            pytest.raises(BackupError, match="the server is running; stop it first"),
            database.running(server_may_run=False),
        ):
            pass


def test_folder_without_a_database_is_no_server(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings.DATA_DIR = tmp_path
    with (
        pytest.raises(BackupError, match="has no database; set MEMORYSERVER_DATA"),
        database.running(server_may_run=True),
    ):
        pass
