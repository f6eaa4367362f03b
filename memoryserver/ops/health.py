"""Is it alive, is it ready: for proxies, supervisors and people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from memoryserver import embedding
from memoryserver.ops.models import CLUSTER, Heartbeat

HEARTBEAT_LIMIT = timedelta(minutes=5)
"""The cluster beats each minute; a job that embeds a large batch may hold it up for a while."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. What is not `required` may be wrong while the server still serves."""

    name: str
    good: bool
    detail: str
    required: bool = True


def checks() -> list[Check]:
    """Every check, the database's first; without it the others are not made."""
    database = _database()
    if not database.good:
        return [database]
    return [database, _migrations(), _cluster(), _model()]


def _database() -> Check:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return Check("database", False, " ".join(str(error).split()))
    return Check("database", True, "answers")


def _migrations() -> Check:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    return Check("migrations", missing == 0, f"{missing} to apply; run: manage.py migrate" if missing else "applied")


def _cluster() -> Check:
    beat = Heartbeat.objects.filter(name=CLUSTER).first()
    if beat is None:
        return Check("job cluster", False, "has not shown itself yet", required=False)
    age = timezone.now() - beat.beat_at
    return Check("job cluster", age <= HEARTBEAT_LIMIT, f"seen {age.total_seconds():.0f} s ago", required=False)


def _model() -> Check:
    loaded = embedding.ready_service() is not None
    detail = "loaded" if loaded else "not loaded; searches are lexical"
    return Check("embedding model", loaded, detail, required=False)
