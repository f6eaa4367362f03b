"""Readiness checks, for proxies, supervisors and people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from memoryserver import embedding, redis_client
from memoryserver.ops.models import CLUSTER, Heartbeat

HEARTBEAT_LIMIT = timedelta(seconds=60)
"""A job worker records a heartbeat every ten seconds while it makes progress, during long jobs too."""


@dataclass(frozen=True)
class Check:
    """The result of a check. The server is ready even if a check that is not `required` fails."""

    name: str
    good: bool
    detail: str
    required: bool = True


def checks() -> list[Check]:
    """Run all checks, the database's first; if that fails, the others are skipped."""
    database = _database()
    if not database.good:
        return [database]
    return [database, _migrations(), *_queue(), _cluster(), _model()]


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return Check("database", False, " ".join(str(error).split()))
    return Check("database", True, "answers")


def _migrations() -> Check:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
        (prepared,) = cursor.fetchone()
        if prepared:
            cursor.execute("SELECT count(*), coalesce(max(id), 0) FROM django_migrations")
        missing = _missing(*(cursor.fetchone() if prepared else (0, 0)))
    return Check("migrations", missing == 0, f"{missing} to apply; run: manage.py migrate" if missing else "applied")


@lru_cache(maxsize=1)
def _missing(count: int, latest: int) -> int:
    """Return how many migrations are to apply to the database, which has `count`, the latest with that key.

    To read all migrations takes longer than most pages, and those of a process never change; hence the cache.
    """
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _queue() -> list[Check]:
    """Check Redis, if it holds the queue. Requests are served without it, and lost jobs are scheduled again."""
    if not redis_client.configured():
        return []
    try:
        redis_client.client().ping()
    except redis_client.failure() as error:
        return [Check("queue", False, f"Redis cannot be used: {' '.join(str(error).split())}", required=False)]
    return [Check("queue", True, "answers", required=False)]


def _cluster() -> Check:
    beat = Heartbeat.objects.filter(name=CLUSTER).first()
    if beat is None:
        return Check("job cluster", False, "not seen yet")
    age = timezone.now() - beat.beat_at
    return Check("job cluster", age <= HEARTBEAT_LIMIT, f"seen {age.total_seconds():.0f} s ago")


def _model() -> Check:
    """Check that texts can be embedded. Requests are served without it, also while it loads after the start."""
    fault = embedding.fault()
    detail = f"{fault}; searches match words alone" if fault else "loaded"
    return Check("embedding model", fault is None, detail, required=False)
