"""The file itself: whole, or not there; and no wrong byte passes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryserver.ops.backups import BackupError, archive
from memoryserver.ops.backups.archive import Manifest
from tests.support.processes.server_process import ROOT

PARTS = [bytes(range(256)) * 40, b"the end"]
ROWS = {"accounts_user": 2, "ghap_entry": 40}


def described(length: int, sha256: str, *, key: bool = True) -> Manifest:
    return Manifest(
        "0.1.0",
        "2026-11-29T01:15:00+00:00",
        "18.4",
        "18.4",
        {"ghap": ["0001_initial"]},
        ROWS,
        length,
        sha256,
        key,
        "ab",
    )


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path = tmp_path / "one.backup"
    archive.write(path, PARTS, "the-key", described)
    return path


def test_what_was_written_is_read_again(backup: Path) -> None:
    done: list[int] = []

    manifest = archive.check(backup, done.append)

    assert b"".join(archive.read_dump(backup)) == b"".join(PARTS)
    assert archive.read_key(backup) == "the-key"
    assert (manifest.rows, manifest.total_rows, manifest.dump_bytes, done) == (ROWS, 42, 10_247, [10_247])


def test_only_the_owner_can_read_it(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_common_tools_can_take_it_apart(backup: Path) -> None:
    with zipfile.ZipFile(backup) as file:
        assert file.namelist() == ["database.dump", "secret_key", "manifest.json"]


def test_key_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    archive.write(path, PARTS, "", lambda length, sha256: described(length, sha256, key=False))

    assert archive.check(path, archive.silent).secret_key is False
    with pytest.raises(BackupError, match="no item named"):
        archive.read_key(path)


def test_every_wrong_byte_is_noticed_or_changes_nothing(backup: Path) -> None:
    """Some bytes of a zip file are read by nobody, such as the times of its members."""
    whole, content = backup.read_bytes(), b"".join(PARTS)
    manifest = archive.read_manifest(backup)
    noticed = 0
    for position in range(0, len(whole), 7):
        backup.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        try:
            found = archive.check(backup, archive.silent)
        except BackupError:
            noticed += 1
            continue
        assert (found, b"".join(archive.read_dump(backup))) == (manifest, content)
    assert noticed > len(whole) / 7 * 0.8


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99])
def test_file_that_ends_early_is_refused(backup: Path, share: float) -> None:
    backup.write_bytes(backup.read_bytes()[: int(backup.stat().st_size * share)])

    with pytest.raises(BackupError, match="is damaged, or not a backup of memoryserver"):
        archive.check(backup, archive.silent)


@pytest.mark.parametrize("text", [b"[]", b"{}", b"null", b'{"version": 1}', b"\xff", b"{"])
def test_other_zip_file_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(archive.MANIFEST, text)

    with pytest.raises(BackupError, match="is damaged, or not a backup of memoryserver"):
        archive.read_manifest(path)


def test_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"none\.backup cannot be read: No such file or directory"):
        archive.check(tmp_path / "none.backup", archive.silent)


def test_dump_that_fails_leaves_the_older_backup_and_nothing_else(backup: Path) -> None:
    before = backup.read_bytes()

    def failing() -> Iterator[bytes]:
        yield PARTS[0]
        raise BackupError("pg_dump failed")

    with pytest.raises(BackupError, match="pg_dump failed"):
        archive.write(backup, failing(), "the-key", described)

    assert (backup.read_bytes(), list(backup.parent.iterdir())) == (before, [backup])


FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
from memoryserver.ops.backups import BackupError, archive
from tests.memoryserver.ops.backups.test_archive import described
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    archive.write(Path(sys.argv[1]), (os.urandom(50_000) for _ in range(9)), "key", described)
except BackupError as error:
    print(error)
"""


def test_file_that_cannot_grow_is_removed_and_the_reason_given(tmp_path: Path) -> None:
    """A limit on the size of files ends a write as a full disk does, by an error of the system."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path / "one.backup"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "memoryserver.settings"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == f"{tmp_path}/one.backup cannot be written: File too large; no backup was written\n"
    assert (done.stderr, list(tmp_path.iterdir())) == ("", [])


def test_full_disk_is_named_as_such(tmp_path: Path) -> None:
    """The system's own full device, as the target of every write."""
    full = tmp_path / f".one.backup.{os.getpid()}.tmp"
    full.symlink_to("/dev/full")

    with pytest.raises(BackupError, match=f"the disk of {tmp_path} is full; no backup was written"):
        archive.write(tmp_path / "one.backup", PARTS * 100, "key", described)

    assert list(tmp_path.iterdir()) == []
