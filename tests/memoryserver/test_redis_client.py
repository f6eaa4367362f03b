from __future__ import annotations

import time
from typing import Any

import pytest
from redis import RedisError

from memoryserver import redis_client


def test_nothing_is_configured_by_default(settings: Any) -> None:
    assert (settings.REDIS_URL, redis_client.configured()) == ("", False)


def test_redis_that_is_not_there_is_an_error_at_once(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    began = time.monotonic()

    with pytest.raises(RedisError):
        redis_client.client().ping()

    assert redis_client.configured()
    assert time.monotonic() - began < 10


def test_client_is_one_for_each_address() -> None:
    assert redis_client.client_of("unix:///a") is redis_client.client_of("unix:///a")
    assert redis_client.client_of("unix:///a") is not redis_client.client_of("unix:///b")
