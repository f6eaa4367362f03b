"""Ids made where the thing is born, so that every write can be sent again without harm."""

from __future__ import annotations

import os
import time
import uuid


def uuid7(moment: int | None = None, position: int = 0) -> uuid.UUID:
    """Return a UUID of version 7 (RFC 9562): 48 bits of Unix milliseconds, 12 that order within one, 62 random.

    Without arguments the time is now, to a quarter of a microsecond: those of one process sort in the order
    made. With `moment` (Unix milliseconds) the time is that, and `position` (0 to 4095) orders what shares it.
    """
    if moment is None:
        moment, rest = divmod(time.time_ns(), 1_000_000)
        position = rest * 4096 // 1_000_000
    random = int.from_bytes(os.urandom(8), "big") >> 2
    value = (moment & (1 << 48) - 1) << 80 | 0x7 << 76 | (position & 0xFFF) << 64 | 0b10 << 62 | random
    return uuid.UUID(int=value)


def milliseconds_of(identifier: uuid.UUID) -> int:
    """Return the Unix milliseconds in `identifier`, a UUID of version 7."""
    return identifier.int >> 80


def first_id(moment: int) -> uuid.UUID:
    """Return the lowest UUID of the millisecond `moment`: every version 7 id of it or later sorts behind."""
    return uuid.UUID(int=(moment & (1 << 48) - 1) << 80)
