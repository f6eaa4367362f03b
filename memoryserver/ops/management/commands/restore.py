"""`manage.py restore`: a backup becomes this server's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.common.counted import counted
from memoryserver.ops.backups import BackupError, archive, database, restoring
from memoryserver.ops.backups.progress import Progress

OTHER_KEY = (
    "This server's secret key is not the backup's: API tokens, invitations and waiting jobs of the backup do not work. "
    "Set MEMORYSERVER_SECRET_KEY to the former key, or add it to MEMORYSERVER_SECRET_KEY_FALLBACKS{hint}."
)
HINT = "; the backup has it: unzip -p {file} secret_key"


class Command(BaseCommand):
    """Restore a backup, while the server is stopped."""

    help = (
        "Put the data of the backup FILE into this server, which must be stopped and have no users, and bring it to "
        "this release. A failure changes nothing."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file and --replace."""
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--replace", action="store_true", help="delete what the server has")

    def handle(self, *args: Any, file: Path, replace: bool, **options: Any) -> None:
        """Raise CommandError with the reason if nothing was restored."""
        try:
            total = archive.read_manifest(file).dump_bytes
            with database.running(server_may_run=False), Progress("Restoring", total) as progress:
                manifest = restoring.restore(file, progress, replace=replace)
        except BackupError as error:
            raise CommandError(str(error)) from error
        rows, tables = counted(manifest.total_rows, "row"), counted(len(manifest.rows), "table")
        self.stdout.write(f"Restored {rows} in {tables}, as of {manifest.made_at}. Start the server: manage.py up")
        if restoring.key_differs(manifest):
            self.stderr.write(OTHER_KEY.format(hint=HINT.format(file=file) if manifest.secret_key else ""))
