"""The Redis that the processes of a larger installation share, if the setting REDIS_URL names one."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

PREFIX = "memoryserver"
"""Begins the name of each key."""


@cache
def client_of(url: str) -> Redis:
    """Return the client for `url` of this process. A request fails within seconds if Redis does not respond."""
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
