"""Moving collections to another model while searches continue.

New vectors are collected beside the old ones (NextEmbedding), batch by batch, so an interrupted run can be resumed.
When every record has its new vector, all collections are switched in one transaction, since one query searches them
all. Until then searches and writes use the old vectors; records written meanwhile have no new vector, or one of another
text, and are embedded before the switch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, Func, Q, QuerySet, TextField

from memoryserver.embedding import EmbeddingService
from memoryserver.vectors import indexes
from memoryserver.vectors.models import Collection, NextEmbedding, Record, TokenCodes
from memoryserver.vectors.store import embedding_digest, lock_models

BATCH = 128

Report = Callable[[str, int, int], None]
"""Called with the progress: the collection, the number of its records that have a new vector, and the total."""


@dataclass(frozen=True)
class ReembedResult:
    """The number of texts that were embedded, and the collections that now have vectors of the new model."""

    embedded: int
    collections: Sequence[str]


def stale(service: EmbeddingService) -> list[Collection]:
    """Return the collections whose vectors are not of `service`'s model. Raises EmbeddingModelError."""
    return list(Collection.objects.exclude(model=service.model_name, dimension=service.dimension))


def reembed(service: EmbeddingService, report: Report = lambda *_: None) -> ReembedResult:
    """Move every collection to the model of `service`. Raises EmbeddingModelError; calling it again resumes."""
    collections = stale(service)
    _set_next_model(service, collections)
    embedded = sum(_embed_missing(service, collection.name, report) for collection in collections)
    # Writes wait for the lock from here on, so the last, short round misses nothing.
    with transaction.atomic():
        lock_models(exclusive=True)
        embedded += sum(_embed_missing(service, collection.name, report) for collection in collections)
        for collection in collections:
            _switch(collection, service)
    return ReembedResult(embedded, [collection.name for collection in collections])


def _set_next_model(service: EmbeddingService, collections: Sequence[Collection]) -> None:
    """Store the next model of the collections, and delete vectors collected for another one."""
    for collection in collections:
        if (collection.next_model, collection.next_dimension) == (service.model_name, service.dimension):
            continue
        with transaction.atomic():
            NextEmbedding.objects.filter(record__collection=collection.name).delete()
            collection.next_model, collection.next_dimension = service.model_name, service.dimension
            collection.save(update_fields=["next_model", "next_dimension"])


def _embed_missing(service: EmbeddingService, name: str, report: Report) -> int:
    """Embed the records without a new vector of their text and return their number."""
    embedded = 0
    last = 0
    records = Record.objects.filter(collection=name)
    total = records.count()
    report(name, total - _missing(name).count(), total)
    while batch := list(_missing(name).filter(pk__gt=last).order_by("pk").values_list("pk", "text")[:BATCH]):
        vectors = service.embed_batch([text for _, text in batch])
        _save(service.model_name, batch, vectors)
        last = batch[-1][0]
        embedded += len(batch)
        report(name, min(total, total - _missing(name).count()), total)
    return embedded


def _missing(name: str) -> QuerySet[Record]:
    digest = Func(F("text"), function="md5", output_field=TextField())
    return Record.objects.filter(Q(next_embedding=None) | ~Q(next_embedding__text_digest=digest), collection=name)


def _save(model: str, batch: Sequence[tuple[int, str]], vectors: Sequence[Sequence[float]]) -> None:
    """Save the new vectors; deleted records get none, and changed ones get another in the next round."""
    with transaction.atomic():
        existing = set(
            Record.objects.select_for_update(no_key=True, of=("self",))
            .filter(pk__in=[pk for pk, _ in batch])
            .values_list("pk", flat=True)
        )
        NextEmbedding.objects.bulk_create(
            [
                NextEmbedding(
                    record_id=pk,
                    embedding=list(vector),
                    embedded_as=embedding_digest(model, text),
                    text_digest=_md5(text),
                )
                for (pk, text), vector in zip(batch, vectors, strict=True)
                if pk in existing
            ],
            update_conflicts=True,
            unique_fields=["record"],
            update_fields=["embedding", "embedded_as", "text_digest"],
        )


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _switch(collection: Collection, service: EmbeddingService) -> None:
    indexes.drop(collection)  # its dimension is the old one; the job builds the new index
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE vectors_record SET embedding = next.embedding, embedded_as = next.embedded_as "
            "FROM vectors_nextembedding AS next WHERE next.record_id = vectors_record.id AND collection = %s",
            [collection.name],
        )
    NextEmbedding.objects.filter(record__collection=collection.name).delete()
    TokenCodes.objects.filter(record__collection=collection.name).delete()  # those of the new model come by a job
    Collection.objects.filter(pk=collection.pk).update(
        model=service.model_name, dimension=service.dimension, next_model="", next_dimension=None
    )
