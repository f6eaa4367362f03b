from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from memoryserver.ops.alerting import alerts
from memoryserver.ops.doctor import Finding, checks

pytestmark = pytest.mark.django_db


def test_every_check_is_run() -> None:
    tables = (checks._FIRST, checks._NEED_DATABASE, checks._NEED_TABLES, checks._ALWAYS)
    assert list(checks.examine()) == [name for table in tables for name in table]


def test_checks_that_need_the_migrations_are_left_out_without_them() -> None:
    MigrationRecorder(connection).record_unapplied("ops", "0003_rename_told_at_to_notified_at")

    results = checks.examine()

    assert [name for name in results if name in checks._NEED_TABLES] == []
    assert results["migrations"] != []


def test_findings_are_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    alerts.begin("leak", "cannot reach https://bob:hunter2secret@mail.example.org/x")

    (finding,) = checks.examine()["alerts"]

    assert "hunter2secret" not in finding.what


def _close(number: int) -> Finding:
    raise DatabaseError("server closed\nthe connection")


def test_database_that_goes_away_meanwhile_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[Finding]:
        yield from map(_close, [1])

    monkeypatch.setattr(checks, "_NEED_TABLES", {**checks._NEED_TABLES, "queue": broken})

    assert checks.examine()["queue"] == [
        Finding("the database does not answer: server closed the connection", "run the doctor again")
    ]


def test_administrators_see_quick_checks_alone(settings: Any, tmp_path: Any) -> None:
    settings.BACKUP_DIR = str(tmp_path)
    settings.JOB_SCHEDULES = []

    assert [finding.what for finding in checks.for_administrators()] == [f"{tmp_path} has no backup yet"]
