"""`manage.py issue_token USER`: an API token from the server's own shell."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User


class Command(BaseCommand):
    """Prints the token, alone on a line, so that a script can pass it on."""

    help = "Issue an API token for a user and print it; it cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, and what for."""
        parser.add_argument("user")
        parser.add_argument("--name", default="issued in the shell", help="what it is for")
        parser.add_argument("--new-user", action="store_true", help="make the user, who cannot sign in to the pages")

    def handle(self, *args: Any, user: str, name: str, new_user: bool, **options: Any) -> None:
        """Issue it."""
        known = User.objects.filter(username=user).first()
        if known is None and not new_user:
            raise CommandError(f"there is no user {user!r}; to make one that only agents use, add --new-user")
        owner = known or User.objects.create_user(user)
        _, text = tokens.issue(owner, name)
        self.stdout.write(text)
