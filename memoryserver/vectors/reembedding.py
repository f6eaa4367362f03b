"""Moving collections to another model while searches go on.

New vectors are gathered beside the old ones, in rows of their own (NextEmbedding), batch by batch: killed and started
again it goes on where it was. When every record has its new vector, all collections are switched in one transaction,
since one question is asked of them all. Until then searches and writes use the old vectors; what is written meanwhile
has no new vector, or one of another text, and is therefore embedded before the switch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, Func, Q, QuerySet, TextField

from memoryserver.embedding import EmbeddingService
from memoryserver.vectors import indexes
from memoryserver.vectors.models import Collection, NextEmbedding, Record
from memoryserver.vectors.store import embedding_digest, hold_models

BATCH = 128

Report = Callable[[str, int, int], None]
"""Told of progress: the collection, how many of its records have their new vector, how many there are."""


@dataclass(frozen=True)
class Switched:
    """What was done: how many texts were embedded now, and which collections hold vectors of the new model."""

    embedded: int
    collections: Sequence[str]


def stale(service: EmbeddingService) -> list[Collection]:
    """The collections whose vectors are not of `service`'s model. Raises EmbeddingModelError."""
    return list(Collection.objects.exclude(model=service.model_name, dimension=service.dimension))


def reembed(service: EmbeddingService, report: Report = lambda *_: None) -> Switched:
    """Move every collection to the model of `service`. Raises EmbeddingModelError; then, run again, it goes on."""
    collections = stale(service)
    _announce(service, collections)
    embedded = sum(_fill(service, collection.name, report) for collection in collections)
    # What is written from here on waits at the lock, so the last, short round misses nothing.
    with transaction.atomic():
        hold_models(to_switch=True)
        embedded += sum(_fill(service, collection.name, report) for collection in collections)
        for collection in collections:
            _switch(collection, service)
    return Switched(embedded, [collection.name for collection in collections])


def _announce(service: EmbeddingService, collections: Sequence[Collection]) -> None:
    """Note the coming model, and throw away what was gathered for another one."""
    for collection in collections:
        if (collection.next_model, collection.next_dimension) == (service.model_name, service.dimension):
            continue
        with transaction.atomic():
            NextEmbedding.objects.filter(record__collection=collection.name).delete()
            collection.next_model, collection.next_dimension = service.model_name, service.dimension
            collection.save(update_fields=["next_model", "next_dimension"])


def _fill(service: EmbeddingService, name: str, report: Report) -> int:
    """Embed what has no new vector of its text; how many that were."""
    embedded = 0
    last = 0
    records = Record.objects.filter(collection=name)
    total = records.count()
    report(name, total - _waiting(name).count(), total)
    while batch := list(_waiting(name).filter(pk__gt=last).order_by("pk").values_list("pk", "text")[:BATCH]):
        vectors = service.embed_batch([text for _, text in batch])
        _keep(service.model_name, batch, vectors)
        last = batch[-1][0]
        embedded += len(batch)
        report(name, min(total, total - _waiting(name).count()), total)
    return embedded


def _waiting(name: str) -> QuerySet[Record]:
    digest = Func(F("text"), function="md5", output_field=TextField())
    return Record.objects.filter(Q(next_embedding=None) | ~Q(next_embedding__text_digest=digest), collection=name)


def _keep(model: str, batch: Sequence[tuple[int, str]], vectors: Sequence[Sequence[float]]) -> None:
    """A record that was deleted meanwhile gets none; one whose text changed gets another in the next round."""
    with transaction.atomic():
        there = set(
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
                if pk in there
            ],
            update_conflicts=True,
            unique_fields=["record"],
            update_fields=["embedding", "embedded_as", "text_digest"],
        )


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _switch(collection: Collection, service: EmbeddingService) -> None:
    indexes.drop(collection)  # it is of the old length; the job builds the new one
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE vectors_record SET embedding = next.embedding, embedded_as = next.embedded_as "
            "FROM vectors_nextembedding AS next WHERE next.record_id = vectors_record.id AND collection = %s",
            [collection.name],
        )
    NextEmbedding.objects.filter(record__collection=collection.name).delete()
    Collection.objects.filter(pk=collection.pk).update(
        model=service.model_name, dimension=service.dimension, next_model="", next_dimension=None
    )
