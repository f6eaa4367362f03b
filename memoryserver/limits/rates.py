"""Rate limits by fixed windows of time, counted for all processes together: in Redis if there is one, else in Postgres.

While Redis does not respond, Postgres counts, from 0 on.

A caller may use its whole allowance at the end of one window and again at the start of the next: twice the rate within
a short time, never more.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from django.db import connection
from redis import RedisError

from memoryserver import redis_client

logger = logging.getLogger(__name__)

REDIS_PAUSE = 10.0  # seconds without a further attempt after one that failed
_redis_pause_ends = 0.0

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
    number = _count_in_redis(f"{key}:{window}", seconds) if redis_client.configured() else None
    if number is None:
        number = _count_in_postgres(key, window)
    return Usage(limit, max(limit - number, 0), max(int(window + seconds - now), 1), exceeded=number > limit)


def _count_in_postgres(key: str, window: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": window})
        (number,) = cursor.fetchone()
    return int(number)


def _count_in_redis(key: str, seconds: int) -> int | None:
    """Count one use and return the number of all; None if Redis does not respond, and then for some seconds at once."""
    global _redis_pause_ends  # noqa: PLW0603  (one for the process)
    if time.monotonic() < _redis_pause_ends:
        return None
    name = f"{redis_client.PREFIX}:limit:{key}"
    try:
        with redis_client.client().pipeline() as pipeline:
            pipeline.incr(name)
            pipeline.expire(name, 2 * seconds)
            number, _ = pipeline.execute()
    except RedisError as error:
        _redis_pause_ends = time.monotonic() + REDIS_PAUSE
        logger.warning("requests are counted in Postgres", extra={"reason": " ".join(str(error).split())})
        return None
    return int(number)
