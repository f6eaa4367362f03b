"""`manage.py export_data USER`: write a user's or a project's data as JSON lines."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.accounts.models import User
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.accounts.transfer import service


class Command(BaseCommand):
    """Write the lines to standard output."""

    help = "Write everything that belongs to a user, or a project that they see, as JSON lines."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name and --project."""
        parser.add_argument("user")
        parser.add_argument("--project", default="", help="all rows in the project with this key, of all authors")

    def handle(self, *args: Any, user: str, project: str, **options: Any) -> None:
        """Write the lines. Raises CommandError if there is no such user or project."""
        owner = User.objects.filter(username=user).first()
        if owner is None:
            raise CommandError(f"there is no user {user!r}")
        project_row = known_project(owner, stored_key(project)) if project else None
        if project and project_row is None:
            raise CommandError(f"{user} sees no project {project!r}")
        for line in service.export(owner, project_row):
            self.stdout.write(line, ending="")
