from __future__ import annotations

import time

from django.core.cache import cache

from memoryserver.limits.jobs import forget_old_counts
from memoryserver.limits.models import CacheEntry, Counter


def test_counts_of_yesterday_and_expired_entries_are_deleted(db: None) -> None:
    Counter.objects.create(key="old", window=int(time.time()) - 90_000, count=1)
    Counter.objects.create(key="new", window=int(time.time()), count=1)
    cache.set("old", 1, timeout=-1)
    cache.set("new", 1, timeout=60)
    CacheEntry.objects.filter(cache_key=":1:old").exists()

    forget_old_counts()

    assert list(Counter.objects.values_list("key", flat=True)) == ["new"]
    assert list(CacheEntry.objects.values_list("cache_key", flat=True)) == [":1:new"]
