"""Indexing of observations for search: follows the log, stages messages, and embeds them.

The log is append-only, so the progress is stored beside it: a mark up to which all arrivals are staged, and a row for
each observation that is staged but not yet embedded (see `vectors.backlog`). The server's own events (`system:...`) are
skipped, since search finds them as entries and learnings; so are observations without a user.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, UUIDField
from django.db.models.functions import Cast

from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingService, Vector, service
from memoryserver.vectors import backlog
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore, embedding_digest
from obslog.models import Observation, SearchMark, Unembedded
from obslog.partitions import Month

COLLECTION = "observations"
STAGE_LIMIT = 500
_DELETE_BATCH = 5_000

# Uses the index (user, arrival) once per user, so that no index on arrival alone is needed.
_ARRIVED = """
SELECT arrived.id, arrived.arrival FROM accounts_user AS owner CROSS JOIN LATERAL (
    SELECT id, arrival FROM obslog_observation
    WHERE user_id = owner.id AND arrival > %(low)s AND arrival <= %(high)s AND category <> 'system'
    ORDER BY arrival LIMIT %(limit)s
) AS arrived ORDER BY arrived.arrival LIMIT %(limit)s
"""


@transaction.atomic
def stage_arrived() -> int:
    """Stage the next STAGE_LIMIT observations at most and return how many; also 0 while another job is staging.

    Staged observations are found by lexical search and wait to be embedded. Three short queries if nothing is new.
    """
    SearchMark.objects.get_or_create(pk=1)
    mark = SearchMark.objects.select_for_update(skip_locked=True).filter(pk=1).first()
    if mark is None:
        return 0
    horizon = _horizon()
    if horizon <= mark.arrival:
        return 0
    arrived = _arrived(mark.arrival, horizon)
    _stage(list(Observation.objects.filter(pk__in=[identifier for identifier, _ in arrived])))
    # An arrival that was only issued may be issued again after a crash, but not once this commit is on disk: it also
    # makes the sequence's earlier writes durable.
    mark.arrival = arrived[-1][1] if len(arrived) == STAGE_LIMIT else horizon
    mark.save()
    return len(arrived)


def embed(pending: Sequence[Unembedded], embedding: EmbeddingService) -> None:
    """Embed the observations of `pending` in one batch and delete `pending`. Raises EmbeddingModelError,
    VectorStoreError.

    Observations that were dropped meanwhile are skipped.
    """
    rows = list(Observation.objects.filter(pk__in=[row.observation_id for row in pending]))
    vectors = embedding.embed_batch([row.message for row in rows])
    _store(rows, embedding, dict(zip([row.pk for row in rows], vectors, strict=True)))
    Unembedded.objects.filter(pk__in=[row.pk for row in pending]).delete()


def forget_dropped(month: Month) -> int:
    """Delete from the search index what was dropped with the months before `month`; return how many."""
    first = datetime(month.year, month.month, 1, tzinfo=UTC)
    remaining = Observation.objects.filter(pk=Cast(OuterRef("key"), UUIDField()))
    stale = Record.objects.filter(collection=COLLECTION, created_at__lt=first).filter(~Exists(remaining))
    deleted = 0
    while keys := list(stale.order_by("user_id").values_list("user_id", "key")[:_DELETE_BATCH]):
        for owner, own in groupby(keys, key=lambda row: row[0]):
            PgVectorStore(User(pk=owner)).delete(COLLECTION, [key for _, key in own])
        deleted += len(keys)
    return deleted


def _horizon() -> int:
    """Return the arrival up to which no more rows can appear: see `obslog.cursor`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT obslog_horizon()")
        (horizon,) = cursor.fetchone()
    return int(horizon)


def _arrived(low: int, high: int) -> list[tuple[uuid.UUID, int]]:
    """Return the next ids and arrivals, ordered by arrival."""
    with connection.cursor() as cursor:
        cursor.execute(_ARRIVED, {"low": low, "high": high, "limit": STAGE_LIMIT})
        return list(cursor.fetchall())


def _stage(rows: Sequence[Observation]) -> None:
    _store(rows, service(), {})
    Unembedded.objects.bulk_create(
        [Unembedded(observation_id=row.pk, content_digest=row.pk.hex) for row in rows], ignore_conflicts=True
    )


def _store(rows: Sequence[Observation], embedding: EmbeddingService, vectors: Mapping[object, Vector]) -> None:
    """Store `rows` in the collection, by owner; without a project, they are visible to their owner only."""
    for owner, group in groupby(sorted(rows, key=_owner), key=_owner):
        store = PgVectorStore(User(pk=owner))
        if vectors:
            store.ensure_collection(COLLECTION, model=embedding.model_name, dimension=embedding.dimension)
        store.upsert(COLLECTION, [_item(row, embedding.model_name, vectors.get(row.pk)) for row in group])


def _owner(row: Observation) -> int:
    assert row.user_id is not None  # observations without a user are not staged
    return row.user_id


def _item(row: Observation, model_name: str, vector: Vector | None) -> Item:
    return Item(
        key=str(row.pk),
        text=row.message,
        created_at=datetime.fromtimestamp(row.created_at / 1000, UTC),
        payload={"type": row.type, "source": row.source},
        vector=vector,
        embedded_as=embedding_digest(model_name, row.message),
    )


def embed_arrived(embedder: EmbeddingService, staging_seconds: float) -> int:
    """Stage what has arrived, for so many seconds, embed what is staged, and return how many were embedded.

    Raises EmbeddingModelError if the model cannot be loaded; what is staged is found by its words nevertheless.
    """
    deadline = time.monotonic() + staging_seconds
    while stage_arrived() and time.monotonic() < deadline:
        pass
    if not Unembedded.objects.exists() or not backlog.can_embed(embedder):
        return 0
    return backlog.drain(Unembedded.objects.all(), lambda rows: embed(rows, embedder))
