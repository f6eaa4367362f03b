"""Laptops: what each client says of itself with every sync, and whether it is too old for this server."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryserver import __version__
from memoryserver.access.models import Laptop
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.visibility import led_teams
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line


@dataclass(frozen=True)
class State:
    """What a client reports: who it is, how much waits there and failed, and whether capture runs."""

    client_id: str
    name: str
    version: str
    waiting: int
    failed: int
    capture_runs: bool


def record(user: User, token: ApiToken, state: State) -> Laptop:
    """Store the latest state of a laptop of `user`'s, known by the client's id."""
    laptop, _ = Laptop.objects.update_or_create(
        user=user,
        client_id=one_line(clean(state.client_id)),
        defaults={
            "token": token,
            "name": one_line(redact(clean(state.name)).text)[:100] or "a laptop",
            "version": one_line(clean(state.version))[:40],
            "waiting": state.waiting,
            "failed": state.failed,
            "capture_runs": state.capture_runs,
            "seen_at": timezone.now(),
        },
    )
    return laptop


def visible(user: User) -> QuerySet[Laptop]:
    """Return the laptops that `user` may see, the latest seen first.

    These are their own and those of the members of teams that they lead, for administrators all.
    """
    laptops = Laptop.objects.select_related("user", "token").filter(user__is_active=True)
    if user.is_staff:
        return laptops
    return laptops.filter(Q(user=user) | Q(user__in=User.objects.filter(teams__in=led_teams(user))))


def is_too_old(version: str, server: str = __version__) -> bool:
    """Return whether a client of `version` is more than one minor version behind; one of unknown version is, too."""
    client, own = _release(version), _release(server)
    if client is None or own is None:
        return client is None
    return client[0] < own[0] or (client[0] == own[0] and client[1] < own[1] - 1)


def _release(version: str) -> tuple[int, int] | None:
    parts = version.split(".")
    if len(parts) < 2 or not all(part.isdecimal() and part.isascii() for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1])
