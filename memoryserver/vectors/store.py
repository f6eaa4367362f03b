"""The interface of vector stores, and the implementation in Postgres."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.db import DatabaseError, connection, transaction
from django.db.models import ExpressionWrapper, FloatField, QuerySet
from pgvector.django import CosineDistance

from memoryserver.accounts.models import Project, User
from memoryserver.embedding import Embedding, Vector
from memoryserver.vectors.models import Collection, Record, TokenCodes
from memoryserver.vectors.terms import terms

_CONTENT_FIELDS = ["project", "text", "terms", "payload", "created_at"]


class VectorStoreError(Exception):
    """The operation failed; the text says why and what to do."""


@dataclass(frozen=True)
class Item:
    """One text to put into a collection.

    `embedded_as` identifies text and model: see `embedding_digest`. An item without a `vector` keeps its stored vector
    if that has the same `embedded_as`; else only lexical search finds it.
    """

    key: str
    text: str
    created_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    vector: Vector | None = None
    embedded_as: str = ""


@dataclass(frozen=True)
class Match:
    """One result; `score` is the cosine similarity, from -1 to 1."""

    key: str
    score: float
    payload: Mapping[str, Any]


class VectorStore(Protocol):
    """Named collections of vectors, compared by cosine. All operations are idempotent."""

    def ensure_collection(self, name: str, *, model: str, dimension: int) -> None:
        """Create the collection if missing. Raises VectorStoreError if it exists with another model or dimension."""

    def upsert(self, name: str, items: Sequence[Item]) -> None:
        """Insert `items`, replacing those with the same key; keys must be unique within one call."""

    def embedded_as(self, name: str, keys: Sequence[str]) -> dict[str, str]:
        """Return `embedded_as` by key, for those of `keys` that have a vector."""

    def delete(self, name: str, keys: Sequence[str]) -> None:
        """Delete the items with these keys; unknown keys are ignored."""

    def search(
        self, name: str, vector: Vector, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[Match]:
        """Return the `limit` nearest items whose payload contains `filters`, nearest first."""

    def count(self, name: str, filters: Mapping[str, Any] | None = None) -> int:
        """Return the number of items whose payload contains `filters`."""


def embedding_digest(model: str, text: str) -> str:
    """Return the value of `embedded_as` for a text: equal digests have equal vectors."""
    return hashlib.sha256(f"{model}\0{text}".encode()).hexdigest()


class PgVectorStore:
    """The collections in Postgres, limited to one owner: items written belong to `user` and `project`, and only
    `user`'s items are read and deleted. `memoryserver.search` searches across owners.
    """

    def __init__(self, user: User, project: Project | None = None) -> None:
        self._user = user
        self._project = project

    def ensure_collection(self, name: str, *, model: str, dimension: int) -> None:
        """See VectorStore."""
        collection, _ = Collection.objects.get_or_create(name=name, defaults={"model": model, "dimension": dimension})
        if (collection.model, collection.dimension) != (model, dimension):
            raise VectorStoreError(
                f"the collection {name} holds vectors of {collection.model} ({collection.dimension} numbers), "
                f"not of {model} ({dimension}); run `manage.py reembed`, or set MEMORYSERVER_EMBEDDING_MODEL back"
            )

    def upsert(self, name: str, items: Sequence[Item]) -> None:
        """See VectorStore. Raises VectorStoreError if a vector has the wrong length or non-finite numbers."""
        if not items:
            return
        try:
            with transaction.atomic():
                lock_models()
                self._check_vectors(name, [item.vector for item in items if item.vector is not None])
                unchanged = self._with_current_vector(name, items)
                self._write(name, [item for item in items if item.key in unchanged], _CONTENT_FIELDS)
                changed = [item for item in items if item.key not in unchanged]
                self._write(name, changed, [*_CONTENT_FIELDS, "embedding", "embedded_as"])
        except DatabaseError as error:
            raise VectorStoreError(f"{len(items)} items could not be stored in {name}: {error}") from error

    def insert(self, name: str, items: Sequence[Item]) -> None:
        """Insert `items` whose keys are new and that have no vector yet, in one statement, in the caller's transaction.

        Raises VectorStoreError, after which that transaction can only be rolled back.
        """
        try:
            with transaction.atomic(savepoint=False):
                lock_models()
                Record.objects.bulk_create(self._rows(name, items))
        except DatabaseError as error:
            raise VectorStoreError(f"{len(items)} items could not be stored in {name}: {error}") from error

    def _with_current_vector(self, name: str, items: Sequence[Item]) -> set[str]:
        """Return the keys of `items` without a vector whose stored vector is of the same text."""
        without = {item.key: item.embedded_as for item in items if item.vector is None}
        if not without:
            return set()
        return {key for key, digest in self.embedded_as(name, list(without)).items() if without[key] == digest}

    def _write(self, name: str, items: Sequence[Item], update_fields: Sequence[str]) -> None:
        stored = Record.objects.bulk_create(
            self._rows(name, items),
            update_conflicts=True,
            unique_fields=["collection", "user", "key"],
            update_fields=update_fields,
        )
        if "embedding" in update_fields:
            write_codes({row.pk: item.vector for row, item in zip(stored, items, strict=True)})

    def _rows(self, name: str, items: Sequence[Item]) -> list[Record]:
        return [
            Record(
                user=self._user,
                project=self._project,
                collection=name,
                key=item.key,
                text=item.text,
                terms=terms(item.text),
                payload=dict(item.payload),
                created_at=item.created_at,
                embedding=item.vector,
                embedded_as=item.embedded_as,
            )
            for item in items
        ]

    def embedded_as(self, name: str, keys: Sequence[str]) -> dict[str, str]:
        """See VectorStore."""
        rows = self._records(name).filter(key__in=keys, embedding__isnull=False)
        return dict(rows.values_list("key", "embedded_as"))

    def delete(self, name: str, keys: Sequence[str]) -> None:
        """See VectorStore."""
        if keys:
            self._records(name).filter(key__in=keys).delete()

    def search(
        self, name: str, vector: Vector, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[Match]:
        """See VectorStore. Exact: `+ 0` keeps the planner from using an index, which may miss rows under a filter."""
        self._check_vectors(name, [vector])
        cosine_distance = ExpressionWrapper(CosineDistance("embedding", vector) + 0.0, output_field=FloatField())
        rows = (
            self._records(name)
            .filter(payload__contains=dict(filters or {}), embedding__isnull=False)
            .order_by(cosine_distance, "pk")
            .values_list("key", cosine_distance, "payload")[:limit]
        )
        return [Match(key=key, score=1.0 - distance, payload=payload) for key, distance, payload in rows]

    def count(self, name: str, filters: Mapping[str, Any] | None = None) -> int:
        """See VectorStore."""
        return self._records(name).filter(payload__contains=dict(filters or {})).count()

    def _records(self, name: str) -> QuerySet[Record]:
        return Record.objects.filter(collection=name, user=self._user)

    def _check_vectors(self, name: str, vectors: Sequence[Vector]) -> None:
        """Raise VectorStoreError unless each vector has the collection's dimension and finite numbers."""
        if not vectors:
            return
        dimension = Collection.objects.filter(name=name).values_list("dimension", flat=True).first()
        if dimension is None:
            raise VectorStoreError(f"there is no collection {name}; call ensure_collection first")
        for vector in vectors:
            if len(vector) != dimension:
                raise VectorStoreError(f"a vector for {name} must have {dimension} numbers, not {len(vector)}")
            infinite = sum(not math.isfinite(number) for number in vector)
            if infinite:
                raise VectorStoreError(
                    f"a vector for {name} has NaN or infinity in {infinite} of its {dimension} numbers; "
                    "check the embedding model"
                )


def write_codes(vectors: Mapping[int, Vector | None]) -> None:
    """Store what the vectors of records, by primary key, have of their tokens, in place of what was stored."""
    codes = {
        pk: vector.codes for pk, vector in vectors.items() if isinstance(vector, Embedding) and len(vector.codes) > 0
    }
    TokenCodes.objects.filter(record__in=vectors.keys() - codes.keys()).delete()
    TokenCodes.objects.bulk_create(
        [TokenCodes(record_id=pk, codes=kept) for pk, kept in codes.items()],
        update_conflicts=True,
        unique_fields=["record"],
        update_fields=["codes"],
    )


def lock_models(*, exclusive: bool = False) -> None:
    """Lock the collections' models until the transaction ends: shared to write, `exclusive` to switch models."""
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended('models of collections', 0))")
