"""Rate limits by fixed windows of time, counted for all processes together: in Redis if there is one, else in Postgres.

While Redis does not respond, Postgres counts, from 0 on.

A process that is asked often takes several uses at once, at most a fiftieth of the limit, and gives them out itself. So
no more than the limit is ever allowed, and what one process has taken and does not use is not allowed to another.

A caller may use its whole allowance at the end of one window and again at the start of the next: twice the rate within
a short time, never more.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

from django.db import connection

from memoryserver import redis_client
from memoryserver.statements.cache import Cache

logger = logging.getLogger(__name__)

REDIS_PAUSE = 10.0  # seconds without a further attempt after one that failed
_redis_pause_ends = 0.0
_SMALLEST_PART, _MOST_AT_ONCE = 50, 60  # a process takes at most this part of a limit, and this many uses, at once

_COUNT = """
    INSERT INTO limits_counter AS counter (key, "window", count) VALUES (%(key)s, %(window)s, %(uses)s)
    ON CONFLICT (key) DO UPDATE SET
        count = EXCLUDED.count + CASE WHEN counter."window" = EXCLUDED."window" THEN counter.count ELSE 0 END,
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


@dataclass
class _Taken:
    """Uses that this process has taken of a key's limit: `left` are not given out yet. It takes `size` next time."""

    window: int
    count: int = 0
    left: int = 0
    size: int = 1


_taken: Cache[str, _Taken] = Cache(size=10_000)
_lock = threading.Lock()


def count(key: str, *, limit: int, seconds: int) -> Usage:
    """Count one use of `key` and return what is left of `limit` uses within a window of `seconds`."""
    now = time.time()
    window = int(now // seconds) * seconds
    number = _taken_before(key, window)
    if number is None:
        number = _take(key, window, limit, seconds)
    return Usage(limit, max(limit - number, 0), max(int(window + seconds - now), 1), exceeded=number > limit)


def _taken_before(key: str, window: int) -> int | None:
    """Give out a use that was taken before, and return how many are used by then; None if there is none."""
    with _lock:
        taken = _taken.get(key)
        if taken is None or taken.window != window or not taken.left:
            return None
        taken.left -= 1
        return taken.count - taken.left


def _take(key: str, window: int, limit: int, seconds: int) -> int:
    """Take some uses and give out the first of them; return how many are used by then.

    Each time in a window twice as many are taken, so that who asks seldom is counted exactly.
    """
    with _lock:
        known = _taken.get(key)
        size = known.size if known is not None and known.window == window else 1
    total = _count_in_redis(f"{key}:{window}", size, seconds) if redis_client.configured() else None
    if total is None:
        total = _count_in_postgres(key, size, window)
    number = total - size + 1
    with _lock:
        known = _taken.get(key)
        other = known.left if known is not None and known.window == window else 0  # taken by another thread meanwhile
        count, largest = min(total, limit), max(min(limit // _SMALLEST_PART, _MOST_AT_ONCE), 1)
        _taken.put(key, _Taken(window, count, other + max(count - number, 0), min(2 * size, largest)))
    return number


def _count_in_postgres(key: str, uses: int, window: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": window, "uses": uses})
        (number,) = cursor.fetchone()
    return int(number)


def _count_in_redis(key: str, uses: int, seconds: int) -> int | None:
    """Count `uses` and return the number of all; None if Redis does not respond, and then for some seconds at once."""
    global _redis_pause_ends  # noqa: PLW0603  (one for the process)
    if time.monotonic() < _redis_pause_ends:
        return None
    name = f"{redis_client.PREFIX}:limit:{key}"
    try:
        with redis_client.client().pipeline() as pipeline:
            pipeline.incrby(name, uses)
            pipeline.expire(name, 2 * seconds)
            number, _ = pipeline.execute()
    except redis_client.failure() as error:
        _redis_pause_ends = time.monotonic() + REDIS_PAUSE
        logger.warning("requests are counted in Postgres", extra={"reason": " ".join(str(error).split())})
        return None
    return int(number)
