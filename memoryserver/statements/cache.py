"""Values kept in the process: the latest used of them, for all of its threads, and for a time if one is named."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K")
V = TypeVar("V")


class Cache(Generic[K, V]):
    """At most `size` values by their keys; the one that was not used for longest makes room for a new one.

    A value older than `seconds` is no longer given out. No other process sees a value, so what is kept here must
    never change, or be compared with the database before it is used.
    """

    _all: ClassVar[WeakSet[Cache[Any, Any]]] = WeakSet()

    def __init__(self, size: int, seconds: float | None = None) -> None:
        self._all.add(self)
        self._size, self._seconds = size, seconds
        self._values: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of `key`, None if there is none or it is too old."""
        with self._lock:
            since, value = self._values.get(key, (0.0, None))
            if value is None or (self._seconds is not None and time.monotonic() - since >= self._seconds):
                return None
            self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Keep `value`, which must not be None, in place of the one before."""
        with self._lock:
            self._values[key] = time.monotonic(), value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)

    def forget(self, key: K) -> None:
        """Drop the value of `key`, if there is one."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()

    @classmethod
    def clear_all(cls) -> None:
        """Clear every cache of this process, as tests do, after which keys may belong to other rows."""
        for cache in list(cls._all):
            cache.clear()
