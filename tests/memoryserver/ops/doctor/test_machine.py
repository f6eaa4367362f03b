from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memoryserver.accounts.models import User
from memoryserver.ops.backups import archive
from memoryserver.ops.doctor import Finding, machine
from tests.memoryserver.ops.backups.test_archive import PARTS, described
from tests.support.rows.factories import UserFactory


class Usage(NamedTuple):
    total: float
    used: float
    free: float


NOW = datetime.now(UTC)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    settings.BACKUP_DIR = ""
    return tmp_path


@pytest.mark.parametrize(
    ("total", "free", "found"),
    [
        (500e9, 26e9, False),
        (500e9, 9e9, True),  # never more than ten times the least is asked for
        (10_000e9, 11e9, False),
        (8e9, 1.1e9, False),
        (8e9, 0.9e9, True),
    ],
)
def test_disk_without_room_is_found(
    total: float, free: float, found: bool, monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(total, total - free, free))

    assert [finding.what.startswith(f"the disk of {data_dir} has ") for finding in machine.disk()] == [True] * found


def test_full_disk_names_what_to_keep_less_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data_dir: Path, settings: Any
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(8e9, 8e9, 0))
    (of_data,) = machine.disk()
    assert of_data.fix == (
        f"see what is large: du -sh {data_dir}/*; "
        "keep less: MEMORYSERVER_TRAJECTORY_RETENTION_DAYS=30, MEMORYSERVER_LOG_RETENTION_MONTHS=3"
    )

    settings.DATA_DIR = tmp_path / "missing"
    settings.BACKUP_DIR, settings.BACKUP_KEEP = str(tmp_path), 14
    (of_backups,) = machine.disk()
    assert of_backups.fix == f"see what is large: du -sh {tmp_path}/*; keep fewer: MEMORYSERVER_BACKUP_KEEP is 14"


def test_key_that_others_can_read_is_found(data_dir: Path) -> None:
    key = data_dir / "secret_key"
    key.write_text("secret")
    key.chmod(0o600)
    assert list(machine.private_files()) == []

    key.chmod(0o644)

    what = f"{key} can be read by other users; who has it can forge sessions"
    assert list(machine.private_files()) == [Finding(what, f"chmod 600 {key}")]


def test_clock_that_differs_from_the_databases_is_found(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(machine.clock()) == []

    class Ahead:
        @staticmethod
        def now(zone: Any) -> datetime:
            return datetime.now(zone) + timedelta(seconds=90)

    monkeypatch.setattr(machine, "datetime", Ahead)

    (finding,) = machine.clock()
    assert finding.what == "this machine's clock is 90 s ahead of the database's"


def test_new_server_may_do_without_backups_and_an_older_one_may_not(alice: User) -> None:
    assert list(machine.backups()) == []

    UserFactory(username="first", date_joined=NOW - timedelta(days=8))

    assert [finding.what for finding in machine.backups()] == [
        "no backups are made: MEMORYSERVER_BACKUP_DIR is not set"
    ]


def stored_backup(folder: Path, age: timedelta) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"memoryserver-{NOW - age:%Y%m%dT%H%M%SZ}.backup"
    archive.write(path, PARTS, "key", described)
    return path


def test_backup_that_is_missing_old_or_damaged_is_found(db: None, data_dir: Path, settings: Any) -> None:
    folder = data_dir / "backups"
    settings.BACKUP_DIR = str(folder)
    (missing,) = machine.backups()
    stored_backup(folder, timedelta(days=3))
    (old,) = machine.backups()
    path = stored_backup(folder, timedelta(hours=1))
    fresh = list(machine.backups())
    path.write_bytes(b"damaged")
    (damaged,) = machine.backups()

    assert missing.what == f"{folder} has no backup yet"
    assert old.what.startswith("the newest backup is of ")
    assert fresh == []
    assert damaged.what.startswith(f"{path} is damaged, or not a backup of memoryserver")
    assert {finding.fix for finding in (missing, old, damaged)} == {"manage.py backup"}


def test_errors_of_the_last_day_are_counted(data_dir: Path) -> None:
    def line(event: str, age: timedelta) -> str:
        return json.dumps({"event": event, "timestamp": (NOW - age).isoformat()}) + "\n"

    hour = timedelta(hours=1)
    log = data_dir / "errors.log"
    assert list(machine.errors()) == []
    log.write_text("torn line}\n[]\n" + line("old", 30 * hour))
    assert list(machine.errors()) == []

    log.write_text(log.read_text() + line("seldom", hour) + line("often", hour) + line("often", hour))

    (finding,) = machine.errors()
    assert finding == Finding(
        "3 errors logged within a day, most often (2 times): often",
        f"read the latest, with its traceback: tail -n 1 {log}; an error counts for a day",
    )


def test_alerts_and_requests_with_foreign_hosts_are_no_errors_of_the_server(data_dir: Path) -> None:
    foreign = {"event": "Invalid HTTP_HOST header: 'x'.", "logger": "django.security.DisallowedHost"}
    alert = {"event": "alert", "logger": "memoryserver.ops.watch", "alert": "database"}
    lines = [json.dumps(record | {"timestamp": NOW.isoformat()}) + "\n" for record in (foreign, alert)]
    (data_dir / "errors.log").write_text("".join(lines))

    assert list(machine.errors()) == []


def test_logged_error_is_named_by_the_last_line_of_its_traceback(data_dir: Path) -> None:
    record = {
        "event": "request failed",
        "timestamp": NOW.isoformat(),
        "exception": "Traceback (most recent call last):\n  File x\nValueError: no such luck\n",
    }
    (data_dir / "errors.log").write_text(json.dumps(record) + "\n")

    (finding,) = machine.errors()

    assert finding.what == "1 error logged within a day: request failed (ValueError: no such luck)"


def test_fatal_errors_of_postgres_are_counted_but_not_the_expected_ones(data_dir: Path) -> None:
    log = data_dir / "postgres.log"
    stamp = f"{NOW:%Y-%m-%d %H:%M:%S}.123 UTC [77] "
    log.write_text(
        f"2020-01-01 00:00:00.000 UTC [1] FATAL:  long ago\n{stamp}FATAL:  the database system is starting up\n"
        f"{stamp}ERROR:  a query was wrong\n"
    )
    assert list(machine.postgres_log()) == []

    log.write_text(log.read_text() + f"{stamp}PANIC:  could not write to file\n")

    (finding,) = machine.postgres_log()
    assert finding.what == "Postgres logged 1 fatal error within a day, the last: could not write to file"
    assert finding.fix == f"see what came before: grep -E -B 5 'FATAL|PANIC' {log}; an error counts for a day"
