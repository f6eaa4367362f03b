from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django_q.conf import Conf

from memoryserver import redis_client
from tests.support.processes.redis_process import RedisProcess


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisProcess]:
    process = RedisProcess()
    yield process
    process.remove()


@pytest.fixture
def redis(redis_process: RedisProcess, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisProcess]:
    """The queue is in Redis, and empty."""
    settings.REDIS_URL = redis_process.url
    monkeypatch.setattr(Conf, "BROKER_CLASS", "memoryserver.ops.brokers.in_redis.RedisBroker")
    if redis_process.process.poll() is not None:
        redis_process.start()
    redis_process.client().flushall()
    yield redis_process
    redis_client.client_of.cache_clear()
