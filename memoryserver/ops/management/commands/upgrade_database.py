"""`manage.py upgrade_database`: the embedded Postgres' data, brought to a new major version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.common.counted import counted
from memoryserver.ops.backups import BackupError, upgrading
from memoryserver.ops.backups.progress import Progress
from memoryserver.ops.postgres import VERSION


class Command(BaseCommand):
    """Upgrade the data, while the server is stopped."""

    help = (
        "Bring the embedded Postgres' data to the installed version, by a backup that is kept. The old version's "
        "programs are needed once."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --old-programs."""
        parser.add_argument(
            "--old-programs", metavar="FOLDER", type=Path, help="where the old version's programs are, if not found"
        )

    def handle(self, *args: Any, old_programs: Path | None, **options: Any) -> None:
        """Raise CommandError with the reason if nothing was upgraded."""
        try:
            with Progress("Upgrading") as progress:
                done = upgrading.upgrade(progress, old_programs)
        except BackupError as error:
            raise CommandError(str(error)) from error
        if done is None:
            self.stdout.write(f"Nothing to do: the data are of PostgreSQL {VERSION}, or there are none yet.")
            return
        rows = counted(done.manifest.total_rows, "row")
        self.stdout.write(
            f"Upgraded {rows} from PostgreSQL {done.manifest.postgres} to {VERSION}. "
            f"Start the server: manage.py up\nWhen all is well, remove {done.old_files} and {done.backup}."
        )
