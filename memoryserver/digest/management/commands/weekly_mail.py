"""`manage.py weekly_mail NAME`: print the weekly mail that a person would get now, and send nothing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.accounts.time_zones import zone_of
from memoryserver.digest.mail import message_to
from memoryserver.digest.models import Subscription
from memoryserver.digest.subscriptions import next_monday


class Command(BaseCommand):
    """Print the text, or the HTML."""

    help = "Print the weekly mail that a person would get now, whether they have chosen it or not; nothing is sent."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the name and --html."""
        parser.add_argument("user", metavar="NAME")
        parser.add_argument("--html", action="store_true", help="the form that most mail programs show")

    def handle(self, *args: Any, user: str, html: bool, **options: Any) -> None:
        """Print the mail. Raises CommandError if there is no such user."""
        person = User.objects.filter(username=user).first()
        if person is None:
            raise CommandError(f"there is no user {user!r}")
        row = Subscription.objects.filter(user=person).first()
        row = row or Subscription(user=person, due_at=next_monday(timezone.now(), person))  # not saved
        with timezone.override(zone_of(person)):
            message = message_to(row)
        if message is None:
            self.stdout.write(f"There is nothing to tell {user} yet, so no mail would be sent.")
            return
        if html:
            self.stdout.write(str(message.alternatives[0][0]))
            return
        self.stdout.write(
            f"To: {person.email or 'nobody: there is no mail address'}\nSubject: {message.subject}\n\n{message.body}"
        )
