"""From a filled server to a file and from the file to an empty server: what arrives, and what is refused."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from memoryserver.accounts.models import User
from memoryserver.ops.backups import BackupError, archive, dumping, restoring
from memoryserver.ops.backups.archive import Manifest
from memoryserver.ops.backups.database import conninfo
from memoryserver.ops.schedules import ensure_schedules
from tests.support.database.restored_server import Target, contents, fill

pytestmark = pytest.mark.django_db(transaction=True)

MUST_BE_FILLED = (
    *(
        "accounts_user",
        "accounts_apitoken",
        "capture_learning",
        "capture_capture",
        "django_q_schedule",
        "django_q_ormq",
    ),
    *("ghap_entry", "ghap_cluster", "trajectory_toolcall", "trajectory_assessmentrecord", "vectors_record"),
)


@pytest.fixture
def backup(tmp_path: Path, alice: User) -> Path:
    """A backup of a server with a user."""
    path = tmp_path / "one.backup"
    ensure_schedules()
    dumping.make(path, archive.silent)
    return path


def with_manifest(path: Path, change: Callable[[Manifest], Manifest]) -> Path:
    """A copy of a backup whose manifest says something else; its dump is whole."""
    changed = path.with_name("changed.backup")
    manifest = change(archive.read_manifest(path))
    archive.write(changed, archive.read_dump(path), archive.read_key(path), lambda *_: manifest)
    return changed


def test_every_table_of_a_filled_server_arrives_in_an_empty_one(tmp_path: Path, target: Target) -> None:
    fill()
    path = tmp_path / "full.backup"
    manifest = dumping.make(path, archive.silent)
    address, _ = conninfo()
    before = contents(address)

    done = target.manage("restore", str(path))

    after = target.contents()
    assert (done.returncode, done.stderr) == (0, "")
    assert [table for table in MUST_BE_FILLED if not before[table]] == []
    assert manifest.rows == {table: len(rows) for table, rows in before.items() if table in manifest.rows}
    assert {name: rows for name, rows in before.items() if rows != after.get(name)} == {}
    assert set(before) == set(after)
    assert (target.data_dir / "secret_key").read_text() == settings.SECRET_KEY


def test_server_with_users_is_not_replaced_unless_told_so(backup: Path, copied_server: Target) -> None:
    target = copied_server
    target.execute("UPDATE accounts_user SET username = 'changed'")

    refused = target.manage("restore", str(backup))
    names = target.execute("SELECT username FROM accounts_user")
    replaced = target.manage("restore", "--replace", str(backup))

    assert refused.returncode == 1
    assert refused.stderr.startswith("CommandError: this server has users and ")
    assert names == [("changed",)]
    assert (replaced.stderr, replaced.returncode) == ("", 0)
    assert target.execute("SELECT username FROM accounts_user") == [("alice",)]


def test_key_in_the_environment_stays_and_the_command_says_what_does_not_work(backup: Path, target: Target) -> None:
    done = target.manage("restore", str(backup), MEMORYSERVER_SECRET_KEY="another")

    assert done.returncode == 0
    assert done.stderr.startswith("This server's secret key is not the backup's: API tokens")
    assert f"unzip -p {backup} secret_key" in done.stderr
    assert not (target.data_dir / "secret_key").exists()


def test_key_among_the_fallbacks_is_no_other_key(backup: Path, target: Target) -> None:
    done = target.manage(
        "restore",
        str(backup),
        MEMORYSERVER_SECRET_KEY="another",
        MEMORYSERVER_SECRET_KEY_FALLBACKS=settings.SECRET_KEY,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_dump_that_does_not_load_changes_nothing(backup: Path, target: Target) -> None:
    """Its counts are of another moment, which is noticed at the very end."""
    wrong = with_manifest(backup, lambda manifest: replace(manifest, rows={**manifest.rows, "accounts_user": 2}))

    done = target.manage("restore", str(wrong))

    assert done.returncode == 1
    assert "the table accounts_user has 1 rows, the backup has 2; nothing was changed" in done.stderr
    assert [name for name, rows in target.contents().items() if rows] == []


def test_server_that_somebody_uses_is_not_replaced(backup: Path, target: Target) -> None:
    with psycopg.connect(target.address):
        done = target.manage("restore", str(backup))

    assert done.returncode == 1
    assert "the database is used by 1 other session; stop the server and its job workers first" in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: replace(manifest, version="99.0.0"),
        lambda manifest: replace(manifest, migrations={"ghap": ["0001_initial", "0999_later"]}),
    ],
)
def test_backup_of_a_newer_release_is_refused(backup: Path, change: Callable[[Manifest], Manifest]) -> None:
    newer = with_manifest(backup, change)

    with pytest.raises(BackupError, match="which is newer than this one"):
        restoring.restore(newer, archive.silent, replace=True)

    assert User.objects.count() == 1


def test_backup_of_a_newer_postgres_is_refused(backup: Path) -> None:
    newer = with_manifest(backup, lambda manifest: replace(manifest, postgres="99.1"))

    with pytest.raises(BackupError, match=r"is of PostgreSQL 99\.1, and this server is PostgreSQL"):
        restoring.restore(newer, archive.silent, replace=True)


def test_backup_of_a_newer_format_is_refused(backup: Path) -> None:
    newer = backup.with_name("newer.backup")
    with zipfile.ZipFile(newer, "w") as file:
        file.writestr(archive.MANIFEST, json.dumps({"format": 2, "version": "7.0.0", "unknown": 1}))

    with pytest.raises(BackupError, match=r"is of memoryserver 7\.0\.0, which writes a newer format"):
        restoring.restore(newer, archive.silent, replace=True)


def test_damaged_backup_is_refused(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-100])

    with pytest.raises(BackupError, match="is damaged, or not a backup of memoryserver"):
        restoring.restore(backup, archive.silent, replace=True)

    assert User.objects.count() == 1


def test_versions_compare_by_their_numbers() -> None:
    assert restoring.numbers("0.10.0") > restoring.numbers("0.9.9")
