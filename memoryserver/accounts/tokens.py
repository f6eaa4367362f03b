"""API tokens: `msv_` + 40 characters of secret + 6 of checksum; only a keyed digest is stored.

The checksum lets malformed tokens be rejected, and leaked ones be recognised, without a database query.
"""

from __future__ import annotations

import hmac
import secrets
import string
import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from memoryserver.accounts import scopes as token_scopes
from memoryserver.accounts.digests import digest, digests
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.signals import token_issued, token_revoked, token_used_elsewhere
from memoryserver.common.redaction import redact
from memoryserver.statements import rows
from memoryserver.statements.cache import Cache
from memoryserver.statements.guard import Guard

PREFIX = "msv_"
_ALPHABET = string.digits + string.ascii_letters
_SECRET_LENGTH = 40
_CHECKSUM_LENGTH = 6
_SHOWN_LENGTH = len(PREFIX) + 6
_LAST_USE_PRECISION = timedelta(minutes=1)
_KNOWN_ADDRESSES = 20

# A revoked token is refused at once, so this is asked at every request. Rows that are as they were read before are not
# read again: a row's xmin is another one after each change.
_VALID = """
    FROM accounts_apitoken token JOIN accounts_user account ON account.id = token.user_id
    WHERE token.digest = ANY(%(digests)s) AND token.revoked_at IS NULL AND account.is_active
        AND (token.expires_at IS NULL OR token.expires_at > %(now)s)
    LIMIT 1
"""
_VERSIONS = f"SELECT token.xmin::text, account.xmin::text {_VALID}"
_ROWS = (
    f"SELECT token.xmin::text, account.xmin::text, {rows.columns(ApiToken, 'token')}, "
    f"{rows.columns(User, 'account')} {_VALID}"
)
_UNCHANGED = (
    "EXISTS (SELECT FROM accounts_apitoken WHERE id = %(token)s AND xmin = %(token_version)s::xid)"
    " AND EXISTS (SELECT FROM accounts_user WHERE id = %(account)s AND xmin = %(account_version)s::xid)"
)
_read: Cache[tuple[str, ...], tuple[tuple[str, str], ApiToken]] = Cache(size=1000)


@transaction.atomic
def issue(
    user: User,
    name: str,
    *,
    scopes: Iterable[str] = token_scopes.ALL,
    expires_at: datetime | None = None,
    by: User | None = None,
) -> tuple[ApiToken, str]:
    """Create a token for `user`; return it and its text, which is not stored and cannot be shown again.

    `by` is the person who does it, for the audit log; None is the server, or somebody at its shell.

    Raises InvalidInputError for an unknown scope or for none.
    """
    secret = "".join(secrets.choice(_ALPHABET) for _ in range(_SECRET_LENGTH))
    text = PREFIX + secret + _checksum(secret)
    token = ApiToken.objects.create(
        user=user,
        name=redact(name).text[:100],
        scopes=token_scopes.scopes_in(scopes),
        prefix=text[:_SHOWN_LENGTH],
        digest=digest(text),
        expires_at=expires_at,
    )
    token_issued.send(ApiToken, token=token, by=by)
    return token, text


@transaction.atomic
def revoke(token: ApiToken, by: User | None = None) -> None:
    """Revoke `token`; the row is kept. Revoking it again has no effect. `by` is as of `issue`."""
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        token_revoked.send(ApiToken, token=token, by=by)


def authenticate(text: str, *, address: str | None = None, client: str = "") -> ApiToken | None:
    """Return the token with this text and its active user, or None if it is unknown, revoked or expired.

    Its last use, by `client` from `address`, is recorded to the minute. Digests by a key in SECRET_KEY_FALLBACKS are
    accepted too, so that SECRET_KEY can change without new tokens.
    """
    if not is_well_formed(text):
        return None
    now = timezone.now()
    token = _find(digests(text), now)
    if token is not None:
        _record_use(token, now, address, client)
    return token


def seen(text: str, *, address: str) -> tuple[ApiToken, Guard] | None:
    """Return the token with this text as this process has read it, and the guard that it is still valid.

    No statement is sent: the token may have been revoked since, and nothing may be done or answered before a statement
    in which the guard holds, or `authenticate`. None if it was not read, or if its use is to be recorded.
    """
    known = _read.get(digests(text)) if is_well_formed(text) else None
    if known is None:
        return None
    (token_version, user_version), token = known
    now = timezone.now()
    is_recorded = token.last_used_at is not None and now - token.last_used_at < _LAST_USE_PRECISION
    is_expired = token.expires_at is not None and token.expires_at <= now
    if is_expired or not is_recorded or address not in token.addresses:
        return None
    parameters = {"token": token.pk, "token_version": token_version}
    parameters |= {"account": token.user_id, "account_version": user_version}
    return _copy(token), Guard(_UNCHANGED, parameters)


def _find(digests: tuple[str, ...], now: datetime) -> ApiToken | None:
    """Return the valid token with one of the digests, and its user; the caller may change both instances."""
    parameters = {"digests": list(digests), "now": now}
    known = _read.get(digests)
    if known is not None:
        versions = rows.first(_VERSIONS, parameters, prepared=True)
        if versions is None:
            return None
        if versions == known[0]:
            return _copy(known[1])
    row = rows.first(_ROWS, parameters)
    if row is None:
        return None
    token = rows.instance(ApiToken, row[2 : 2 + rows.width(ApiToken)])
    token.user = rows.instance(User, row[2 + rows.width(ApiToken) :])
    if not connection.in_atomic_block:  # else the rows may still change without another xmin
        _read.put(digests, (row[:2], token))
    return _copy(token)


def _copy(token: ApiToken) -> ApiToken:
    copied, user = rows.copied(token), rows.copied(token.user)
    copied.user = user
    return copied


def is_well_formed(text: str) -> bool:
    """Return whether `text` has a token's format and a correct checksum; the token itself may still be unknown."""
    secret, checksum = text[len(PREFIX) : -_CHECKSUM_LENGTH], text[-_CHECKSUM_LENGTH:]
    return (
        text.startswith(PREFIX)
        and len(secret) == _SECRET_LENGTH
        and secret.isascii()
        and secret.isalnum()
        and hmac.compare_digest(checksum.encode(), _checksum(secret).encode())
    )


def _record_use(token: ApiToken, now: datetime, address: str | None, client: str) -> None:
    """Write the last use if the last one is a minute ago, or at once if the address is new."""
    is_new = address is not None and address not in token.addresses
    if not is_new and token.last_used_at is not None and now - token.last_used_at < _LAST_USE_PRECISION:
        return
    used_before = bool(token.addresses)
    if is_new and address is not None:
        token.addresses = [address, *token.addresses][:_KNOWN_ADDRESSES]
    token.last_used_at, token.last_used_by = now, client[:60]
    ApiToken.objects.filter(pk=token.pk).update(
        last_used_at=now, last_used_by=token.last_used_by, addresses=token.addresses
    )
    if is_new and used_before:
        token_used_elsewhere.send(ApiToken, token=token, address=address)


def _checksum(secret: str) -> str:
    number = zlib.crc32(secret.encode("ascii"))
    digits = ""
    for _ in range(_CHECKSUM_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits
