"""The Redis that the processes of a larger installation share, if the setting REDIS_URL names one.

Its library is loaded where it is used: most servers have no Redis, and each of their processes would load it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from redis import Redis

PREFIX = "memoryserver"
"""Begins the name of each key."""


@cache
def client_of(url: str) -> Redis:
    """Return the client for `url` of this process. A request fails within seconds if Redis does not respond."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=2,
        socket_timeout=5,
        health_check_interval=30,
        retry=Retry(NoBackoff(), 1),
    )


def configured() -> bool:
    """Return whether there is a Redis to use."""
    return bool(settings.REDIS_URL)


def client() -> Redis:
    """Return the client of the configured Redis."""
    return client_of(settings.REDIS_URL)


def failure() -> type[Exception]:
    """Return the class of what a request raises, for `except failure()`, which is evaluated when one was raised."""
    from redis import RedisError

    return RedisError
