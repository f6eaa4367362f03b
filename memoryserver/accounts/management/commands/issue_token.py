"""`manage.py issue_token USER`: issue an API token from the command line."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User


class Command(BaseCommand):
    """Print the token, alone on a line, for use in scripts."""

    help = "Issue an API token for a user and print it; it cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name, the token's name and --new-user."""
        parser.add_argument("user")
        parser.add_argument("--name", default="issued in the shell", help="what the token is for")
        parser.add_argument("--new-user", action="store_true", help="create the user, without a password")

    def handle(self, *args: Any, user: str, name: str, new_user: bool, **options: Any) -> None:
        """Issue and print the token. Raises CommandError if there is no such user."""
        existing = User.objects.filter(username=user).first()
        if existing is None and not new_user:
            raise CommandError(f"there is no user {user!r}; add --new-user to create one")
        owner = existing or User.objects.create_user(user)
        _, text = tokens.issue(owner, name)
        self.stdout.write(text)
