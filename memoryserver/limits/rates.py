"""Rate limits by fixed windows of time, counted in Postgres for all processes together.

A caller may use its whole allowance at the end of one window and again at the start of the next: twice the rate within
a short time, never more.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import connection

_COUNT = """
    INSERT INTO limits_counter AS counter (key, "window", count) VALUES (%(key)s, %(window)s, 1)
    ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN counter."window" = EXCLUDED."window" THEN counter.count + 1 ELSE 1 END,
        "window" = EXCLUDED."window"
    RETURNING count
"""


@dataclass(frozen=True)
class Usage:
    """How much of a limit is used: `remaining` requests until it starts again in `reset` seconds (at least 1)."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool


def count(key: str, *, limit: int, seconds: int) -> Usage:
    """Count one use of `key` and return what is left of `limit` uses within a window of `seconds`."""
    now = time.time()
    window = int(now // seconds) * seconds
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": window})
        (number,) = cursor.fetchone()
    return Usage(limit, max(limit - number, 0), max(int(window + seconds - now), 1), exceeded=number > limit)
