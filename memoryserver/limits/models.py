"""Tables of the limits. Both are unlogged: after a crash of Postgres they are empty, which only forgets counts."""

from __future__ import annotations

from django.db import models


class Counter(models.Model):
    """How often something happened within the window of time that begins at `window` (Unix time in seconds)."""

    key = models.CharField(max_length=100, primary_key=True)
    window = models.BigIntegerField()
    count = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"


class CacheEntry(models.Model):
    """A row of Django's database cache (`CACHES` in the settings), which reads and writes it by SQL of its own."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key
