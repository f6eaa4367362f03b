"""`manage.py create_token USER`: make an API token from the command line."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.accounts.scopes import Scope

_MOST_DAYS = 36_500


class Command(BaseCommand):
    """Print the token, alone on a line, for use in scripts."""

    help = "Make an API token for a user and print it; it cannot be shown again."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name, the token's name, scopes and expiry, and --new-user."""
        parser.add_argument("user")
        parser.add_argument("--name", default="made in the shell", help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            dest="scopes",
            choices=Scope.values,
            help="what it may be used for; may be given several times, by default all",
        )
        parser.add_argument("--days", type=int, help="after how many days it expires; by default never")
        parser.add_argument("--new-user", action="store_true", help="create the user, without a password")

    def handle(
        self,
        *args: Any,
        user: str,
        name: str,
        scopes: list[str] | None,
        days: int | None,
        new_user: bool,
        **options: Any,
    ) -> None:
        """Make and print the token. Raises CommandError if there is no such user or the number of days is invalid."""
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise CommandError(f"--days must be from 1 to {_MOST_DAYS}")
        existing = User.objects.filter(username=user).first()
        if existing is None and not new_user:
            raise CommandError(f"there is no user {user!r}; add --new-user to create one")
        owner = existing or User.objects.create_user(user)
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        _, text = tokens.issue(owner, name, scopes=scopes or Scope.values, expires_at=expires_at)
        self.stdout.write(text)
