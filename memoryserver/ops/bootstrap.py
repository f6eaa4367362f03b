"""The first administrator of a new server."""

from __future__ import annotations

import secrets
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
def first_admin() -> Credentials | None:
    """Create an administrator with an API token if the server has no users; otherwise return None."""
    if User.objects.exists():
        return None
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(FIRST_ADMIN, password=password)
    _, token = tokens.issue(user, "first start")
    return Credentials(user=FIRST_ADMIN, password=password, token=token)
