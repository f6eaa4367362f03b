"""The device flow (RFC 8628): a laptop asks for a token, and a person who is signed in allows it on a page.

The laptop has the device code and polls with it; the person types the user code, which is short and names the request.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from memoryserver.access.models import DeviceGrant
from memoryserver.accounts import tokens
from memoryserver.accounts.digests import digest, digests
from memoryserver.accounts.models import User
from memoryserver.accounts.scopes import scopes_in
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line

LIFETIME = timedelta(minutes=10)
INTERVAL = 5  # seconds between two polls, and what `slow_down` adds to them (RFC 8628, 3.5)
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so that a code is no word, and nothing that looks like a digit
_LENGTH = 8
_KEPT = timedelta(days=1)


class DeviceError(Exception):
    """A poll gets no token. `error` is the code of RFC 8628 or RFC 6749, the text says what to do."""

    def __init__(self, error: str, text: str) -> None:
        super().__init__(text)
        self.error = error


class NoGrantError(Exception):
    """No request waits for a decision under this user code: it is wrong, has expired or was decided already."""


@dataclass(frozen=True)
class Started:
    """A new request: the code to poll with, and the one for the person."""

    device_code: str
    user_code: str


def start(scopes: Iterable[str], *, client_name: str, client: str, address: str | None) -> Started:
    """Store a request for a token with `scopes`. Raises ValueError for unknown scopes."""
    DeviceGrant.objects.filter(expires_at__lt=timezone.now() - _KEPT).delete()
    device_code = secrets.token_hex(32)  # hex, which no redaction takes for a token of its own form
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
    grant = DeviceGrant.objects.create(
        digest=digest(f"device:{device_code}"),
        user_code=f"{letters[:4]}-{letters[4:]}",
        scopes=scopes_in(scopes),
        client_name=one_line(redact(clean(client_name)).text)[:100] or "a laptop",
        client=one_line(clean(client))[:60],
        address=address,
        expires_at=timezone.now() + LIFETIME,
        interval=INTERVAL,
    )
    return Started(device_code, grant.user_code)


@transaction.atomic
def poll(device_code: str) -> tuple[User, str, list[str]]:
    """Return the user, the new token's text and its scopes, once. Raises DeviceError while and where there is none."""
    grant = DeviceGrant.objects.select_for_update().filter(digest__in=digests(f"device:{device_code}")).first()
    if grant is None or grant.state == DeviceGrant.State.USED:
        raise DeviceError("invalid_grant", "the device code is unknown or was used already; start again")
    if grant.state == DeviceGrant.State.DENIED:
        raise DeviceError("access_denied", "the request was denied in the browser")
    if grant.expires_at <= timezone.now():
        raise DeviceError("expired_token", "the code has expired; start again")
    if grant.state == DeviceGrant.State.ALLOWED and grant.user is not None and grant.user.is_active:
        DeviceGrant.objects.filter(pk=grant.pk).update(state=DeviceGrant.State.USED)
        _, text = tokens.issue(grant.user, grant.client_name, scopes=grant.scopes, by=grant.user)
        return grant.user, text, grant.scopes
    raise DeviceError("authorization_pending", "nobody has allowed the request yet")


def record_poll(device_code: str) -> None:
    """Record that the laptop polls. Raises DeviceError (`slow_down`) if it does so too soon after the last time."""
    now = timezone.now()
    with transaction.atomic():
        grant = DeviceGrant.objects.select_for_update().filter(digest__in=digests(f"device:{device_code}")).first()
        if grant is None:
            return
        too_soon = grant.polled_at is not None and now - grant.polled_at < timedelta(seconds=grant.interval)
        grant.polled_at = now
        grant.interval += INTERVAL if too_soon else 0
        grant.save(update_fields=["polled_at", "interval"])
    if too_soon:
        raise DeviceError("slow_down", f"poll every {grant.interval} seconds at most")


def waiting(user_code: str) -> DeviceGrant:
    """Return the request that waits under this code, typed in any case, with or without the dash.

    Raises NoGrantError.
    """
    return _waiting(user_code, for_update=False)


@transaction.atomic
def decide(user: User, user_code: str, *, allow: bool) -> DeviceGrant:
    """Allow or deny the request in `user`'s name. Raises NoGrantError."""
    grant = _waiting(user_code, for_update=True)
    grant.user = user
    grant.state = DeviceGrant.State.ALLOWED if allow else DeviceGrant.State.DENIED
    grant.save(update_fields=["user", "state"])
    return grant


def _waiting(user_code: str, *, for_update: bool) -> DeviceGrant:
    letters = "".join(character for character in user_code.upper() if character in _LETTERS)
    grants = DeviceGrant.objects.select_for_update() if for_update else DeviceGrant.objects
    grant = grants.filter(
        user_code=f"{letters[:4]}-{letters[4:]}", state=DeviceGrant.State.PENDING, expires_at__gt=timezone.now()
    ).first()
    if grant is None:
        raise NoGrantError
    return grant
