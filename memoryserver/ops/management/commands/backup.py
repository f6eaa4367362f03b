"""`manage.py backup`: everything the server knows, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.common.counted import counted
from memoryserver.ops.backups import BackupError, archive, database, dumping, rotation
from memoryserver.ops.backups.archive import Manifest
from memoryserver.ops.backups.progress import Progress, in_words


class Command(BaseCommand):
    """Make a backup, of a server that runs or not; or check one."""

    help = (
        "Write a backup of the server to FILE; without FILE, a further one to MEMORYSERVER_BACKUP_DIR. It has the "
        "secret key: keep it where only you can read it."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file and the options."""
        parser.add_argument("file", metavar="FILE", nargs="?", type=Path)
        parser.add_argument("--check", action="store_true", help="read FILE and say whether it is whole; write nothing")
        parser.add_argument(
            "--without-secret-key",
            action="store_true",
            help="leave it out; no API token of the backup works without it",
        )

    def handle(self, *args: Any, file: Path | None, check: bool, without_secret_key: bool, **options: Any) -> None:
        """Raise CommandError with the reason if no backup was made, or if the one to check is damaged."""
        if check and file is None:
            raise CommandError("name the file to check: manage.py backup --check FILE")
        try:
            if check and file is not None:
                self._check(file)
                return
            with database.running(server_may_run=True), Progress("Writing") as progress:
                if file is None:
                    file, manifest = rotation.make(progress)
                else:
                    manifest = dumping.make(file.absolute(), progress, with_key=not without_secret_key)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {file}: {_about(file, manifest)}")

    def _check(self, file: Path) -> None:
        with Progress("Reading", archive.read_manifest(file).dump_bytes) as progress:
            manifest = archive.check(file, progress)
        self.stdout.write(f"{file} is whole: {_about(file, manifest)}")


def _about(file: Path, manifest: Manifest) -> str:
    key = "with the secret key" if manifest.secret_key else "without the secret key"
    rows, tables = counted(manifest.total_rows, "row"), counted(len(manifest.rows), "table")
    return (
        f"{in_words(file.stat().st_size)}, {rows} in {tables}, {key}, made by "
        f"memoryserver {manifest.version} on {manifest.made_at}."
    )
