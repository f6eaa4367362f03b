"""`manage.py prepare`: prepare the database for this version of the code, before its processes start."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.ops import bootstrap
from memoryserver.ops.management.preparation import PreparationLine
from memoryserver.ops.preflight import PreflightError


class Command(BaseCommand):
    """Apply migrations, create the schedules and, on a new server, the first administrator."""

    help = (
        "Prepare the database: migrations, schedules, the first administrator. Idempotent; `manage.py up` does it too."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --wait."""
        parser.add_argument(
            "--wait", type=float, default=0.0, metavar="SECONDS", help="how long to wait for Postgres to respond"
        )

    def handle(self, *args: Any, wait: float, **options: Any) -> None:
        """Prepare the database. Raises CommandError if Postgres cannot be used."""
        line = PreparationLine(self.stdout)

        def show(credentials: bootstrap.Credentials) -> None:
            line.end()
            self.stdout.write(credentials.text())
            self.stdout.flush()

        try:
            bootstrap.prepare(show, line.update, wait=wait)
        except PreflightError as error:
            raise CommandError(str(error)) from error
        finally:
            line.end()
        self.stdout.write("The database is prepared.")
