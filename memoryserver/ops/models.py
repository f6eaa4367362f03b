"""Signs of life."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """When a part of the server last showed that it works. Postgres keeps it, so every process sees it."""

    name = models.CharField(max_length=50, primary_key=True)
    beat_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} at {self.beat_at:%Y-%m-%d %H:%M:%S}"
