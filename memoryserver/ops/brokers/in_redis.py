"""The queue in Redis, for many workers: claims cost Postgres nothing, and no worker waits for another's lock.

Each operation is one script, which Redis runs as a whole. The keys of a queue are

    next      the last id of a job
    payloads  id -> signed task
    kinds     id -> function, of jobs without arguments
    waiting   ids in the order in which they are run
    unique    function -> id of the one that waits
    claimed   ids that run, by the end of their lease in Redis' own time

Losing them, as without persistence or by a failover, loses no data: jobs work off what they find due, and each has a
schedule that enqueues it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from django_q.brokers import Broker
from redis import RedisError

from memoryserver import redis_client
from memoryserver.ops.brokers.common import QueueUnavailableError, kind_of, lease, queue_of

T = TypeVar("T")
POLL = 0.25  # seconds between two looks at an empty queue
_FIELDS = ("next", "payloads", "kinds", "waiting", "unique", "claimed")

_ENQUEUE = """
local next, payloads, kinds, waiting, unique = unpack(KEYS)
local payload, kind = unpack(ARGV)
if kind ~= '' then
    local same = redis.call('HGET', unique, kind)
    if same then return tonumber(same) end
end
local id = redis.call('INCR', next)
redis.call('HSET', payloads, id, payload)
if kind ~= '' then
    redis.call('HSET', kinds, id, kind)
    redis.call('HSET', unique, kind, id)
end
redis.call('RPUSH', waiting, id)
return id
"""

# Jobs whose lease has ended wait again, before all others, unless one of their kind waits already.
_DEQUEUE = """
local next, payloads, kinds, waiting, unique, claimed = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
for _, id in ipairs(redis.call('ZRANGEBYSCORE', claimed, '-inf', now)) do
    redis.call('ZREM', claimed, id)
    local kind = redis.call('HGET', kinds, id)
    if kind and redis.call('HSETNX', unique, kind, id) == 0 then
        redis.call('HDEL', payloads, id)
        redis.call('HDEL', kinds, id)
    else
        redis.call('LPUSH', waiting, id)
    end
end
local id = redis.call('LPOP', waiting)
if not id then return nil end
local kind = redis.call('HGET', kinds, id)
if kind then redis.call('HDEL', unique, kind) end
redis.call('ZADD', claimed, now + ARGV[1], id)
return {tonumber(id), redis.call('HGET', payloads, id) or ''}
"""

_RENEW = """
local time = redis.call('TIME')
redis.call('ZADD', KEYS[6], 'XX', time[1] + time[2] / 1000000 + ARGV[1], ARGV[2])
"""

_FORGET = """
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
"""


class RedisBroker(Broker):  # type: ignore[misc]  # django-q2 has no types
    """A queue in Redis with at most one waiting job of each kind. Every method raises QueueUnavailableError."""

    def enqueue(self, task: str) -> int:
        """Add the signed `task` and return its id, or the id of the one that waits in its place."""
        kind = kind_of(task)
        return int(self._run(_ENQUEUE, task, kind or "", queue=queue_of(kind, self.list_key)))

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Claim the next job and return its id and payload; None, after a short wait, if none waits."""
        claimed = self._run(_DEQUEUE, lease().total_seconds())
        if claimed is None:
            time.sleep(POLL)
            return None
        return [(int(claimed[0]), str(claimed[1]))]

    def renew(self, key: int) -> None:
        """Keep the claimed job `key` for another lease; does nothing if it is not claimed."""
        self._run(_RENEW, lease().total_seconds(), key)

    def acknowledge(self, task_id: int) -> None:
        """Remove a claimed job from the queue."""
        self._run(_FORGET, task_id)

    def delete(self, task_id: int) -> None:
        """Remove a claimed job from the queue."""
        self._run(_FORGET, task_id)

    def fail(self, task_id: int) -> None:
        """Remove a claimed job from the queue: it cannot be read."""
        self._run(_FORGET, task_id)

    def queue_size(self) -> int:
        """Return how many jobs wait."""
        return _or_unavailable(lambda: int(redis_client.client().llen(self._keys()[3])))

    def lock_size(self) -> int:
        """Return how many jobs are claimed."""
        return _or_unavailable(lambda: int(redis_client.client().zcard(self._keys()[5])))

    def purge_queue(self) -> int:
        """Remove all jobs, claimed ones too."""
        return _or_unavailable(lambda: int(redis_client.client().delete(*self._keys())))

    def delete_queue(self) -> int:
        """Remove all jobs, claimed ones too."""
        return self.purge_queue()

    def ping(self) -> bool:
        """Return True if Redis responds."""
        return _or_unavailable(lambda: bool(redis_client.client().ping()))

    def info(self) -> str:
        """Return what the queue is kept in, for django-q2's monitors."""
        return "Redis"

    def _keys(self, queue: str = "") -> list[str]:
        """Return the names of the keys; the braces keep them together in a Redis cluster."""
        return [f"{redis_client.PREFIX}:{{{queue or self.list_key}}}:{field}" for field in _FIELDS]

    def _run(self, script: str, *arguments: str | float, queue: str = "") -> Any:
        keys = self._keys(queue)
        return _or_unavailable(lambda: redis_client.client().register_script(script)(keys, list(arguments)))


def _or_unavailable(call: Callable[[], T]) -> T:
    try:
        return call()
    except RedisError as error:
        raise QueueUnavailableError(f"Redis cannot be used: {' '.join(str(error).split())}") from error
