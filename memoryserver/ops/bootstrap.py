"""The first administrator of a new server."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User

FIRST_ADMIN = "admin"


@dataclass(frozen=True)
class Credentials:
    """Credentials that are shown once, on the first start."""

    user: str
    password: str
    token: str


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
