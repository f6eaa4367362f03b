"""Rows that wait to be embedded: which are due, and what happens when embedding fails.

The rows themselves are the queue. A job processes whatever is due, so jobs that are lost, duplicated or killed do no
harm. While there is nothing to embed with, rows stay as they are and the job waits. Else an attempt is counted before
it starts: if it kills the worker the count remains, and the row waits longer each time instead of killing workers for
ever. Rows are first tried in batches; those that fail are then tried one by one, so a bad row does not block others.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from psycopg import sql

from memoryserver.embedding import (
    EmbeddingInterruptedError,
    EmbeddingModelError,
    EmbeddingService,
    EmbeddingUnavailableError,
)
from memoryserver.jobs import try_advisory_lock
from memoryserver.ops.alerting import alerts
from memoryserver.vectors.models import Embeddable
from memoryserver.vectors.store import VectorStoreError

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Embeddable)

BATCH = 256
"""Rows per batch: a multiple of the model's own batch size, large enough for sorting by length to pay off."""

SECONDS = 180.0
PATIENCE = 30.0
UNAVAILABLE_ALERT = "embedding service"
_PATIENT_PAUSE = 0.5
ALERT_AFTER = 5
_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=6)


def drain(rows: QuerySet[Row], embed: Callable[[Sequence[Row]], None], seconds: float = SECONDS) -> int:
    """Embed those of `rows` that are due and return their number.

    `embed` embeds all rows of a batch or raises EmbeddingModelError or VectorStoreError. Only one drain of a table runs
    at a time; another returns 0 at once. After `seconds` no batch is started: the rest is left to the next job, since a
    job that exceeds its time limit would be killed in the middle of a batch. While there is nothing to embed with, it
    waits up to PATIENCE seconds; then an alert begins, which the next batch that is embedded ends.
    """
    deadline = time.monotonic() + seconds
    table = rows.model._meta.db_table
    with try_advisory_lock(f"embed {table}") as acquired:
        if not acquired:
            return 0
        embedded = 0
        try:
            for batch in _batches(rows, deadline):
                embedded += _attempt_patiently(batch, embed)
        except EmbeddingUnavailableError as error:
            _report_unavailable(error)
        if embedded:
            alerts.end(UNAVAILABLE_ALERT)
        end_alert(rows.model)
        return embedded


def embed_due(
    rows: QuerySet[Row], embedder: EmbeddingService, embed: Callable[[EmbeddingService, Sequence[Row]], None]
) -> int:
    """Embed those of `rows` that are due, as `drain` does, with `embedder`; return 0 while it cannot embed.

    The model is not loaded for a table in which no row waits. Raises EmbeddingModelError if it cannot be loaded.
    """
    if not rows.filter(Embeddable.pending()).exists() or not can_embed(embedder):
        return 0
    return drain(rows, partial(embed, embedder))


def _batches(rows: QuerySet[Row], deadline: float) -> Iterator[list[Row]]:
    """Yield what is due until `deadline`: rows that were not tried yet, then each of the others alone."""
    while time.monotonic() < deadline:
        batch = list(rows.filter(_due(), embed_attempts=0).order_by("pk")[:BATCH])
        if not batch:
            break
        yield batch
    for row in list(rows.filter(_due(), embed_attempts__gt=0).order_by("embed_attempts", "pk")[:BATCH]):
        if time.monotonic() < deadline:
            yield [row]


def _attempt_patiently(batch: Sequence[Row], embed: Callable[[Sequence[Row]], None]) -> int:
    """Attempt to embed `batch` once there is something to embed with.

    Raises EmbeddingUnavailableError after PATIENCE seconds without.
    """
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            return _attempt(batch, embed)
        except EmbeddingUnavailableError:
            if time.monotonic() >= give_up_at:
                raise
            time.sleep(_PATIENT_PAUSE)


def can_embed(service: EmbeddingService) -> bool:
    """Load the model, or wait for the embedding process to have loaded it, up to PATIENCE seconds.

    Returns False, and begins an alert, if there is nothing to embed with. Raises EmbeddingModelError if the model
    cannot be loaded.
    """
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            service.load()
        except EmbeddingUnavailableError as error:
            if time.monotonic() >= give_up_at:
                _report_unavailable(error)
                return False
            time.sleep(_PATIENT_PAUSE)
        else:
            return True


def _report_unavailable(error: EmbeddingUnavailableError) -> None:
    alerts.begin(UNAVAILABLE_ALERT, f"nothing is embedded and searches are lexical: {error}")


def reset(rows: QuerySet[Row]) -> int:
    """Mark `rows` to be embedded again by the next job and return their number."""
    return rows.update(embedded_digest="", embed_attempts=0, embed_after=None, embed_error="")


def is_stuck() -> Q:
    """Return the condition of rows that failed ALERT_AFTER times or more."""
    return Embeddable.pending() & Q(embed_attempts__gte=ALERT_AFTER)


def end_alert(model: type[Embeddable]) -> None:
    """End the alert about rows of `model` that cannot be embedded if none is left."""
    if not model._default_manager.filter(is_stuck()).exists():
        alerts.end(alert_key(model))


def end_alerts() -> None:
    """End the alerts of all models that have no stuck rows."""
    for model in Embeddable.__subclasses__():
        end_alert(model)


def alert_key(model: type[Embeddable]) -> str:
    """Return the key of the alert about rows of `model` that cannot be embedded."""
    return f"embedding {model._meta.label}"


def _due() -> Q:
    return Embeddable.pending() & (Q(embed_after=None) | Q(embed_after__lte=timezone.now()))


def _attempt(batch: Sequence[Row], embed: Callable[[Sequence[Row]], None]) -> int:
    _count(batch)
    try:
        with transaction.atomic():  # what `embed` writes and the success are committed together
            embed(batch)
            _record_success(batch)
    except EmbeddingInterruptedError as error:
        _record_failure(batch, error)
        return 0
    except EmbeddingUnavailableError:
        _take_back(batch)
        raise
    except (EmbeddingModelError, VectorStoreError) as error:
        _record_failure(batch, error)
        return 0
    return len(batch)


def _take_back(batch: Sequence[Row]) -> None:
    """Undo `_count`: the rows, which were due, have not been tried."""
    _rows(batch).filter(pk__in=[row.pk for row in batch]).update(
        embed_attempts=F("embed_attempts") - 1, embed_after=None
    )
    for row in batch:
        row.embed_attempts, row.embed_after = row.embed_attempts - 1, None


def _count(batch: Sequence[Row]) -> None:
    now = timezone.now()
    for attempts, group in groupby(sorted(batch, key=_attempts), key=_attempts):
        after = now + min(_FIRST_PAUSE * 2 ** min(attempts, 12), _LONGEST_PAUSE)
        rows = list(group)
        _rows(batch).filter(pk__in=[row.pk for row in rows]).update(embed_attempts=attempts + 1, embed_after=after)
        for row in rows:
            row.embed_attempts, row.embed_after = attempts + 1, after


def _attempts(row: Embeddable) -> int:
    return row.embed_attempts


def _record_success(batch: Sequence[Row]) -> None:
    """Store the digests that were embedded; content that changed meanwhile stays pending and is due at once."""
    statement = sql.SQL(
        "UPDATE {table} SET embedded_digest = done.digest, embed_attempts = 0, embed_after = NULL, embed_error = '' "
        "FROM unnest(%s::bigint[], %s::text[]) AS done (pk, digest) WHERE {table}.id = done.pk"
    ).format(table=sql.Identifier(batch[0]._meta.db_table))
    with connection.cursor() as cursor:
        cursor.execute(statement, [[row.pk for row in batch], [row.content_digest for row in batch]])


def _record_failure(batch: Sequence[Row], error: Exception) -> None:
    if len(batch) > 1:  # any row may be the cause: try each alone, now
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
