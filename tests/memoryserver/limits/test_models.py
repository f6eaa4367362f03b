from __future__ import annotations

from datetime import timedelta

from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from memoryserver.limits.models import CacheEntry, Counter


def test_cache_of_the_server_is_the_table(db: None) -> None:
    cache.set("greeting", "hello", timeout=60)

    entry = CacheEntry.objects.get()
    assert (str(entry), cache.get("greeting")) == (":1:greeting", "hello")
    assert timezone.now() < entry.expires <= timezone.now() + timedelta(seconds=61)


def test_tables_are_not_written_to_the_log_of_postgres(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, relpersistence FROM pg_class WHERE relname LIKE 'limits_%' AND relkind = 'r'")
        assert dict(cursor.fetchall()) == {"limits_counter": "u", "limits_cacheentry": "u"}


def test_counter_is_named_by_its_key_and_count() -> None:
    assert str(Counter(key="token:1", window=0, count=3)) == "token:1: 3"
