"""Making observations findable: a follower of the log that stages messages, and has them embedded.

The log is append-only, so how far this has come is kept beside it: a mark, up to which all arrivals are staged, and
a row for each observation that is staged and not yet embedded (`vectors.backlog` tells of those). The server's own
events (`system:...`) are left out, since they repeat what is found as entries and learnings, and so are those of
nobody.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, UUIDField
from django.db.models.functions import Cast

from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingService, Vector, service
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore, embedding_digest
from obslog.models import Observation, SearchMark, Unembedded
from obslog.partitions import Month

COLLECTION = "observations"
STAGED_AT_ONCE = 500
_FORGOTTEN_AT_ONCE = 5_000

# The index (user, arrival) is asked once for each user, so that this costs nobody an index by arrival alone.
_ARRIVED = """
SELECT found.id, found.arrival FROM accounts_user AS owner CROSS JOIN LATERAL (
    SELECT id, arrival FROM obslog_observation
    WHERE user_id = owner.id AND arrival > %(low)s AND arrival <= %(high)s AND category <> 'system'
    ORDER BY arrival LIMIT %(limit)s
) AS found ORDER BY found.arrival LIMIT %(limit)s
"""


@transaction.atomic
def stage_arrived() -> int:
    """Stage the next STAGED_AT_ONCE observations at most, and return how many; 0, too, while another job does.

    They are then found by their words, and wait to be embedded. Costs three short queries if nothing is new.
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
    # An arrival that was only given out may be given out again after a crash, but not once this commit is on disk: what
    # the sequence wrote before comes with it.
    mark.arrival = arrived[-1][1] if len(arrived) == STAGED_AT_ONCE else horizon
    mark.save()
    return len(arrived)


def embed(waiting: Sequence[Unembedded], embedding: EmbeddingService) -> None:
    """Embed what `waiting` stands for, in one batch, and take it out of what waits.

    What was dropped meanwhile is only taken out. Raises EmbeddingModelError, VectorStoreError.
    """
    rows = list(Observation.objects.filter(pk__in=[row.observation_id for row in waiting]))
    vectors = embedding.embed_batch([row.message for row in rows])
    _put(rows, embedding, dict(zip([row.pk for row in rows], vectors, strict=True)))
    Unembedded.objects.filter(pk__in=[row.pk for row in waiting]).delete()


def forget_dropped(month: Month) -> int:
    """Take out of the search what was dropped of the log with the months before `month`; how many that was."""
    first = datetime(month.year, month.month, 1, tzinfo=UTC)
    kept = Observation.objects.filter(pk=Cast(OuterRef("key"), UUIDField()))
    gone = Record.objects.filter(collection=COLLECTION, created_at__lt=first).filter(~Exists(kept))
    forgotten = 0
    while keys := list(gone.order_by("user_id").values_list("user_id", "key")[:_FORGOTTEN_AT_ONCE]):
        for owner, own in groupby(keys, key=lambda row: row[0]):
            PgVectorStore(User(pk=owner)).delete(COLLECTION, [key for _, key in own])
        forgotten += len(keys)
    return forgotten


def _horizon() -> int:
    """The arrival up to which nothing can come up any more: see `obslog.cursor`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT obslog_horizon()")
        (horizon,) = cursor.fetchone()
    return int(horizon)


def _arrived(low: int, high: int) -> list[tuple[uuid.UUID, int]]:
    """The next ids with their arrivals, in that order."""
    with connection.cursor() as cursor:
        cursor.execute(_ARRIVED, {"low": low, "high": high, "limit": STAGED_AT_ONCE})
        return list(cursor.fetchall())


def _stage(rows: Sequence[Observation]) -> None:
    _put(rows, service(), {})
    Unembedded.objects.bulk_create(
        [Unembedded(observation_id=row.pk, content_digest=row.pk.hex) for row in rows], ignore_conflicts=True
    )


def _put(rows: Sequence[Observation], embedding: EmbeddingService, vectors: Mapping[object, Vector]) -> None:
    """Into the collection, for each owner; an observation belongs to no project, so it is nobody else's to see."""
    for owner, group in groupby(sorted(rows, key=_owner), key=_owner):
        store = PgVectorStore(User(pk=owner))
        if vectors:
            store.ensure_collection(COLLECTION, model=embedding.model_name, dimension=embedding.dimension)
        store.upsert(COLLECTION, [_item(row, embedding.model_name, vectors.get(row.pk)) for row in group])


def _owner(row: Observation) -> int:
    assert row.user_id is not None  # those of nobody are not staged
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
