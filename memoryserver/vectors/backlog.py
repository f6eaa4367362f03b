"""Rows that wait to be embedded: which are due, and what becomes of them when it fails.

The row itself is the queue. A job only comes by and works off what is due, so a job that is lost, doubled
or killed loses and doubles nothing. An attempt is counted before its work starts: a worker that dies at it
leaves the count behind, and the row waits longer each time instead of killing workers for ever. Rows are
tried in batches once; whatever did not come through then is tried alone, so a bad row holds up nobody.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import groupby
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from psycopg import sql

from memoryserver.embedding import EmbeddingModelError
from memoryserver.jobs import alone
from memoryserver.ops import alerts
from memoryserver.vectors.models import Embeddable
from memoryserver.vectors.store import VectorStoreError

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Embeddable)

BATCH = 256
"""Rows of one batch: a multiple of the model's own, and enough texts to be sorted by length."""

SECONDS = 180.0
ALERT_AFTER = 5
_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=6)


def drain(rows: QuerySet[Row], embed: Callable[[Sequence[Row]], None], seconds: float = SECONDS) -> int:
    """Embed those of `rows` that are due and return how many were.

    `embed` embeds all that it is given, or raises EmbeddingModelError or VectorStoreError. One drain of a
    table runs at a time; a second returns 0 at once. After `seconds` nothing is begun any more: what is left is for
    the next job, and a job that outlasts its time limit would be killed in the middle of a batch.
    """
    deadline = time.monotonic() + seconds
    table = rows.model._meta.db_table
    with alone(f"embed {table}") as mine:
        if not mine:
            return 0
        done = 0
        while time.monotonic() < deadline:
            fresh = list(rows.filter(_due(), embed_attempts=0).order_by("pk")[:BATCH])
            if not fresh:
                break
            done += _attempt(fresh, embed)
        for row in list(rows.filter(_due(), embed_attempts__gt=0).order_by("embed_attempts", "pk")[:BATCH]):
            if time.monotonic() < deadline:
                done += _attempt([row], embed)
        end_alert(rows.model)
        return done


def reset(rows: QuerySet[Row]) -> int:
    """Let `rows` be embedded again as soon as a job comes by; how many they are."""
    return rows.update(embedded_digest="", embed_attempts=0, embed_after=None, embed_error="")


def is_stuck() -> Q:
    """The condition of a row that could not be embedded time and again."""
    return Embeddable.pending() & Q(embed_attempts__gte=ALERT_AFTER)


def end_alert(model: type[Embeddable]) -> None:
    """Rows of `model` that cannot be embedded are one alert, however many there are; it is over when none is left."""
    if not model._default_manager.filter(is_stuck()).exists():
        alerts.end(alert_key(model))


def end_alerts() -> None:
    """End what is over for every kind of row."""
    for model in Embeddable.__subclasses__():
        end_alert(model)


def alert_key(model: type[Embeddable]) -> str:
    """The key of the alert about rows of `model` that cannot be embedded."""
    return f"embedding {model._meta.label}"


def _due() -> Q:
    return Embeddable.pending() & (Q(embed_after=None) | Q(embed_after__lte=timezone.now()))


def _attempt(batch: Sequence[Row], embed: Callable[[Sequence[Row]], None]) -> int:
    _count(batch)
    try:
        with transaction.atomic():  # what `embed` writes and that it is done are true together
            embed(batch)
            _note_success(batch)
    except (EmbeddingModelError, VectorStoreError) as error:
        _note_failure(batch, error)
        return 0
    return len(batch)


def _count(batch: Sequence[Row]) -> None:
    now = timezone.now()
    for attempts, group in groupby(sorted(batch, key=_attempts), key=_attempts):
        after = now + min(_FIRST_PAUSE * 2 ** min(attempts, 12), _LONGEST_PAUSE)
        tried = list(group)
        _rows(batch).filter(pk__in=[row.pk for row in tried]).update(embed_attempts=attempts + 1, embed_after=after)
        for row in tried:
            row.embed_attempts, row.embed_after = attempts + 1, after


def _attempts(row: Embeddable) -> int:
    return row.embed_attempts


def _note_success(batch: Sequence[Row]) -> None:
    """With the digest that was embedded: content that changed meanwhile stays pending, and is due at once."""
    statement = sql.SQL(
        "UPDATE {table} SET embedded_digest = done.digest, embed_attempts = 0, embed_after = NULL, embed_error = '' "
        "FROM unnest(%s::bigint[], %s::text[]) AS done (pk, digest) WHERE {table}.id = done.pk"
    ).format(table=sql.Identifier(batch[0]._meta.db_table))
    with connection.cursor() as cursor:
        cursor.execute(statement, [[row.pk for row in batch], [row.content_digest for row in batch]])


def _note_failure(batch: Sequence[Row], error: Exception) -> None:
    if len(batch) > 1:  # not known whose fault it was: each is tried alone, now
        _rows(batch).filter(pk__in=[row.pk for row in batch]).update(embed_after=None)
        return
    row = batch[0]
    _rows(batch).filter(pk=row.pk).update(embed_error=str(error)[:2000])
    logger.warning(
        "embedding failed",
        extra={"row": f"{row._meta.label} {row.pk}", "attempt": row.embed_attempts, "reason": str(error)},
    )
    if row.embed_attempts == ALERT_AFTER:
        message = f"{row._meta.label} {row.pk} could not be embedded in {ALERT_AFTER} attempts: {error}"
        alerts.begin(alert_key(type(row)), message, about=[f"{row._meta.label} {row.pk}"])


def _rows(batch: Sequence[Row]) -> QuerySet[Row]:
    return type(batch[0])._default_manager.all()
