"""Addresses of the pages of rows, for lists that have dozens of them."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID

from django.urls import get_script_prefix, reverse

Key = int | UUID
_NUMBER = 8_000_000_000_000_000_001  # stands for the key of a row
_UUID = UUID(int=_NUMBER)


def is_key(value: object) -> bool:
    """Return whether `address_of` takes it."""
    return type(value) in (int, UUID)


def address_of(name: str, key: Key) -> str:
    """Return the address of the page `name` of the row with that primary key, as `reverse` does.

    It takes a sixth of the time, and `reverse` was a tenth of that of a list. Around the key it is always the same.
    """
    before, after = _around(name, get_script_prefix(), is_uuid=isinstance(key, UUID))
    return f"{before}{key}{after}"


@lru_cache(maxsize=256)
def _around(name: str, prefix: str, *, is_uuid: bool) -> tuple[str, str]:
    """Return what is before and after the key, below the prefix of the whole site."""
    key = _UUID if is_uuid else _NUMBER
    before, _, after = reverse(name, args=[key]).partition(str(key))
    return before, after
