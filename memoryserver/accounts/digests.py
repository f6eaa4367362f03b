"""Keyed digests of secrets that people and laptops hold: tokens, links of invitations, codes of devices.

Only digests are stored, so no secret can be read from the database or a backup. Their key is SECRET_KEY.
"""

from __future__ import annotations

import hmac

from django.conf import settings


def digest(secret: str) -> str:
    """Return the digest of `secret` to be stored, 64 hexadecimal digits.

    A purpose before the secret, as in "invitation:...", keeps a secret of one kind from being one of another.
    """
    return _digest(secret, settings.SECRET_KEY)


def digests(secret: str) -> tuple[str, ...]:
    """Return the digests by which a stored `secret` is found: by SECRET_KEY and each key of SECRET_KEY_FALLBACKS."""
    return tuple(_digest(secret, key) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS])


def _digest(secret: str, key: str) -> str:
    return hmac.digest(key.encode(), secret.encode(), "sha256").hex()
