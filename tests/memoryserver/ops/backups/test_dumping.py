from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from memoryserver import __version__
from memoryserver.accounts.models import User
from memoryserver.ops.backups import BackupError, archive, dumping
from tests.support.rows.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_backup_says_what_it_holds(tmp_path: Path, alice: User) -> None:
    path = tmp_path / "one.backup"
    done: list[int] = []

    made = dumping.make(path, done.append)

    manifest = archive.check(path, archive.silent)
    assert manifest == made
    assert (manifest.version, manifest.rows["accounts_user"], manifest.secret_key) == (__version__, 1, True)
    assert manifest.dump_bytes == done[-1]
    assert archive.read_key(path) == settings.SECRET_KEY
    assert manifest.key_fingerprint == dumping.fingerprint(settings.SECRET_KEY)
    assert settings.SECRET_KEY not in str(manifest)


def test_counts_and_rows_are_of_one_moment_while_others_write(tmp_path: Path, alice: User) -> None:
    """A writer goes on during the dump; the counts still are those of the dump, which a restore compares."""
    path = tmp_path / "one.backup"
    made: list[User] = []

    def add_user() -> None:
        made.append(UserFactory(username="later"))
        connection.close()

    def write(done: int) -> None:
        if not made:
            thread = threading.Thread(target=add_user)
            thread.start()
            thread.join()

    manifest = dumping.make(path, write)

    assert (manifest.rows["accounts_user"], User.objects.count()) == (1, 2)
    assert b"\talice\t" in b"".join(archive.read_dump(path))
    assert b"\tlater\t" not in b"".join(archive.read_dump(path))


def test_older_backup_is_replaced_and_another_file_is_not(tmp_path: Path, alice: User) -> None:
    backup, other = tmp_path / "one.backup", tmp_path / "thesis.txt"
    dumping.make(backup, archive.silent)
    UserFactory(username="bob")
    other.write_text("years of work")

    dumping.make(backup, archive.silent)
    with pytest.raises(BackupError, match=r"thesis\.txt exists and is not a backup; name another file"):
        dumping.make(other, archive.silent)

    assert archive.read_manifest(backup).rows["accounts_user"] == 2
    assert other.read_text() == "years of work"


def test_folder_that_is_missing_or_named_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="nowhere is not a folder; make it first"):
        dumping.make(tmp_path / "nowhere" / "one.backup", archive.silent)
    with pytest.raises(BackupError, match="is a folder; name a file in it"):
        dumping.make(tmp_path, archive.silent)


def test_dump_that_fails_leaves_no_file_and_gives_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when Postgres ends meanwhile: the snapshot is of a session that does not exist."""
    monkeypatch.setattr(dumping, "_snapshot", lambda _: "00000003-0000001B-1")

    with pytest.raises(BackupError, match=r"pg_dump failed: .*snapshot.*; no backup was written"):
        dumping.make(tmp_path / "one.backup", archive.silent)

    assert list(tmp_path.iterdir()) == []


def test_first_error_of_several_lines_is_the_reason() -> None:
    text = b"NOTICE: nothing\npsql: ERROR: the cause\nERROR: what followed\n"
    assert dumping.first_error(io.BytesIO(text)) == "psql: ERROR: the cause"
    assert dumping.first_error(io.BytesIO(b"")) == "it wrote no reason"
