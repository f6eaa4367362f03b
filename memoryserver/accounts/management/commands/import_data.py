"""`manage.py import_data USER FILE`: store data that `memory export` or `manage.py export_data` wrote."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.accounts.models import User
from memoryserver.accounts.transfer import service
from memoryserver.errors import InvalidInputError


class Command(BaseCommand):
    """Store the rows, each once, and print how many."""

    help = "Store exported data for a user. Importing the same file again changes nothing."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name, the file and --keep-authors."""
        parser.add_argument("user")
        parser.add_argument("file", help="the file, or - for standard input")
        parser.add_argument(
            "--keep-authors", action="store_true", help="store each row for the user with its author's name instead"
        )

    def handle(self, *args: Any, user: str, file: str, keep_authors: bool, **options: Any) -> None:
        """Import the file. Raises CommandError if it cannot be read, is not an export, or a line was refused."""
        owner = User.objects.filter(username=user, is_active=True).first()
        if owner is None:
            raise CommandError(f"there is no active user {user!r}")
        try:
            with sys.stdin if file == "-" else Path(file).open(encoding="utf-8") as lines:
                result = service.load(lines, owner, keep_authors=keep_authors)
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not a text in UTF-8; use a file of export_data or memory export") from error
        except (OSError, InvalidInputError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{result.stored} stored, {result.unchanged} unchanged, {result.refused} refused")
        if result.refused:
            raise CommandError("\n".join(result.reasons))
