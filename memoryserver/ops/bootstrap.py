"""Preparing the database for this version of the code: migrations, schedules, the first administrator."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.apps import apps
from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.models.signals import pre_migrate

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.jobs import try_advisory_lock
from memoryserver.ops.preflight import PreflightError, check_database
from memoryserver.ops.schedules import ensure_schedules

FIRST_ADMIN = "admin"
LOCK = "prepare the database"
_POLL = 0.5  # seconds


@dataclass(frozen=True)
class Credentials:
    """Credentials that are shown once, on the first start."""

    user: str
    password: str
    token: str

    def text(self) -> str:
        """Return the lines that show them to the operator."""
        return (
            "\nYour first administrator. Both secrets are shown only once and not stored:\n"
            f"    user      {self.user}\n"
            f"    password  {self.password}\n"
            f"    API token {self.token}\n"
        )


Report = Callable[[int, int], None]
"""Is told how many migrations are applied, of how many."""


def prepare(show: Callable[[Credentials], None], report: Report, *, wait: float = 0.0) -> None:
    """Apply migrations, create schedules, and create the first administrator, whose secrets are passed to `show`.

    `report` is called before the first migration and after each. Waits up to `wait` seconds for Postgres to respond.
    Several servers may call it at once: they do it one after the other, and what is done is not repeated. Raises
    PreflightError if Postgres cannot be used.
    """
    _wait_for_database(wait)
    # Polled, not waited for: a session that waits for a lock would block an index that is built concurrently.
    while True:
        with try_advisory_lock(LOCK) as acquired:
            if acquired:
                _migrate(report)
                ensure_schedules()
                first_admin(show)
                return
        time.sleep(_POLL)


class _CountingMigrate(migrate.Command):
    """Django's command, which reports how far it has come."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._report = report
        self._done = self._total = 0

    def begin(self, plan: list[object], **_: object) -> None:
        """Receive `pre_migrate`, which has the migrations that are to be applied."""
        self._total = len(plan)
        if plan:
            self._report(0, self._total)

    def migration_progress_callback(self, action: str, migration: object = None, fake: bool = False) -> None:
        """Count the migrations that were applied."""
        if action == "apply_success":
            self._done += 1
            self._report(self._done, self._total)


def _migrate(report: Report) -> None:
    command, sender = _CountingMigrate(report), apps.get_app_config("ops")
    pre_migrate.connect(command.begin, sender=sender)
    try:
        call_command(command, interactive=False, verbosity=0)
    finally:
        pre_migrate.disconnect(command.begin, sender=sender)


def _wait_for_database(seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            check_database()
            return
        except PreflightError:
            connection.close()
            if time.monotonic() >= deadline:
                raise
        time.sleep(_POLL)


@transaction.atomic
def first_admin(show: Callable[[Credentials], None]) -> None:
    """Create an administrator with an API token if the server has no users.

    `show` is called before the transaction commits: an administrator whose secrets could not be shown does not exist,
    and the next start creates another one.
    """
    if User.objects.exists():
        return
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(FIRST_ADMIN, password=password)
    _, token = tokens.issue(user, "first start")
    show(Credentials(user=FIRST_ADMIN, password=password, token=token))
