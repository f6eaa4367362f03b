"""`manage.py invite EMAIL`: print a link by which one person makes an account."""

from __future__ import annotations

import socket
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from memoryserver.access import invitations
from memoryserver.accounts.mailing import are_mails_sent
from memoryserver.accounts.models import Team
from memoryserver.environment import web_address


class Command(BaseCommand):
    """Print the link, alone on a line."""

    help = "Print a link by which one person makes an account; it works once, for seven days."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the address, --team, --url and --mail."""
        parser.add_argument("email")
        parser.add_argument("--team", help="the name of the team that they join")
        parser.add_argument("--url", default=settings.PUBLIC_URL, help="the server's address; MEMORYSERVER_PUBLIC_URL")
        parser.add_argument("--mail", action="store_true", help="send the link to the address, too")

    def handle(self, *args: Any, email: str, team: str | None, url: str, mail: bool, **options: Any) -> None:
        """Make the invitation. Raises CommandError for an invalid or known address, and for an unknown team."""
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"{email!r} is not a mail address") from error
        row = Team.objects.filter(name=team).first() if team is not None else None
        if team is not None and row is None:
            raise CommandError(f"there is no team {team!r}; make it first, in the admin under Teams")
        try:
            invitation, key = invitations.make(email, team=row, by=None)
        except invitations.AlreadyMemberError as error:
            raise CommandError(str(error)) from error
        address = invitations.link(key, url)
        self.stdout.write(address)
        if not web_address("MEMORYSERVER_PUBLIC_URL") and url == settings.PUBLIC_URL:
            self.stderr.write(_of_this_machine(url))
        if mail:
            if not are_mails_sent():
                raise CommandError("no mail server is configured (MEMORYSERVER_SMTP_URL); pass the link on yourself")
            try:
                invitations.mail(invitation, address)
            except (OSError, SMTPException) as error:
                raise CommandError(f"the link could not be mailed: {error}; pass it on yourself") from error


def _of_this_machine(url: str) -> str:
    """Return the note that the link has an address which others cannot open, and perhaps nobody."""
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), timeout=2).close()
        listens = ""
    except OSError:
        listens = ", and nothing listens there (set MEMORYSERVER_PORT as for the server)"
    return (
        f"{parts.netloc} is an address of this machine alone{listens}; for another pass --url ADDRESS, "
        "or set MEMORYSERVER_PUBLIC_URL"
    )
