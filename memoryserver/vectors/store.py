"""What a vector store is, and the one that keeps vectors in Postgres."""

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
from memoryserver.embedding import Vector
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.terms import terms

_TOLD = ["project", "text", "terms", "payload", "created_at"]


class VectorStoreError(Exception):
    """The store could not do it; the text says why and what to do."""


@dataclass(frozen=True)
class Item:
    """One text on its way into a collection.

    `embedded_as` tells texts that need no second embedding: see `embedding_digest`. Without a `vector` the
    item keeps the one it has if that was embedded as the same; else it is found by its words alone.
    """

    key: str
    text: str
    created_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    vector: Vector | None = None
    embedded_as: str = ""


@dataclass(frozen=True)
class Match:
    """One found item; `score` is the cosine similarity, from -1 to 1."""

    key: str
    score: float
    payload: Mapping[str, Any]


class VectorStore(Protocol):
    """Named collections of vectors, compared by cosine. Everything may be called again without harm."""

    def ensure_collection(self, name: str, *, model: str, dimension: int) -> None:
        """Make the collection unless it is there. VectorStoreError where it is, with another model or length."""

    def upsert(self, name: str, items: Sequence[Item]) -> None:
        """Put in `items`, each replacing the one of its key; no key twice in one call."""

    def embedded_as(self, name: str, keys: Sequence[str]) -> dict[str, str]:
        """For those of `keys` that have a vector: the `embedded_as` it came with."""

    def delete(self, name: str, keys: Sequence[str]) -> None:
        """Take out the items of `keys`; a key that is not there is no error."""

    def search(
        self, name: str, vector: Vector, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[Match]:
        """The `limit` nearest items whose payload has all of `filters`, nearest first."""

    def count(self, name: str, filters: Mapping[str, Any] | None = None) -> int:
        """How many items there are whose payload has all of `filters`."""


def embedding_digest(model: str, text: str) -> str:
    """What an item's `embedded_as` says: equal digests need no second embedding."""
    return hashlib.sha256(f"{model}\0{text}".encode()).hexdigest()


class PgVectorStore:
    """The collections in Postgres as one owner has them: what it writes belongs to `user` and `project`,
    what it reads and deletes is `user`'s own. Searching across owners is the business of `memoryserver.search`.
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
        """See VectorStore. VectorStoreError where a vector has the wrong length or a number that is none."""
        if not items:
            return
        try:
            with transaction.atomic():
                hold_models()
                self._check_vectors(name, [item.vector for item in items if item.vector is not None])
                kept = self._keeping_theirs(name, items)
                self._write(name, [item for item in items if item.key in kept], _TOLD)
                rest = [item for item in items if item.key not in kept]
                self._write(name, rest, [*_TOLD, "embedding", "embedded_as"])
        except DatabaseError as error:
            raise VectorStoreError(f"{len(items)} items could not be put into {name}: {error}") from error

    def _keeping_theirs(self, name: str, items: Sequence[Item]) -> set[str]:
        """The keys of those `items` that come without a vector and have the one of the same text."""
        without = {item.key: item.embedded_as for item in items if item.vector is None}
        if not without:
            return set()
        return {key for key, digest in self.embedded_as(name, list(without)).items() if without[key] == digest}

    def _write(self, name: str, items: Sequence[Item], update_fields: Sequence[str]) -> None:
        records = [
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
        Record.objects.bulk_create(
            records,
            update_conflicts=True,
            unique_fields=["collection", "user", "key"],
            update_fields=update_fields,
        )

    def embedded_as(self, name: str, keys: Sequence[str]) -> dict[str, str]:
        """See VectorStore."""
        found = self._own(name).filter(key__in=keys, embedding__isnull=False)
        return dict(found.values_list("key", "embedded_as"))

    def delete(self, name: str, keys: Sequence[str]) -> None:
        """See VectorStore."""
        self._own(name).filter(key__in=keys).delete()

    def search(
        self, name: str, vector: Vector, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> list[Match]:
        """See VectorStore. Exact: `+ 0` keeps the planner from an index that would leave rows out under a filter."""
        self._check_vectors(name, [vector])
        distance = ExpressionWrapper(CosineDistance("embedding", vector) + 0.0, output_field=FloatField())
        found = (
            self._own(name)
            .filter(payload__contains=dict(filters or {}), embedding__isnull=False)
            .order_by(distance, "pk")
            .values_list("key", distance, "payload")[:limit]
        )
        return [Match(key=key, score=1.0 - away, payload=payload) for key, away, payload in found]

    def count(self, name: str, filters: Mapping[str, Any] | None = None) -> int:
        """See VectorStore."""
        return self._own(name).filter(payload__contains=dict(filters or {})).count()

    def _own(self, name: str) -> QuerySet[Record]:
        return Record.objects.filter(collection=name, user=self._user)

    def _check_vectors(self, name: str, vectors: Sequence[Vector]) -> None:
        """VectorStoreError unless each has the collection's length and finite numbers."""
        if not vectors:
            return
        dimension = Collection.objects.filter(name=name).values_list("dimension", flat=True).first()
        if dimension is None:
            raise VectorStoreError(f"there is no collection {name}; call ensure_collection first")
        for vector in vectors:
            if len(vector) != dimension or not all(map(math.isfinite, vector)):
                raise VectorStoreError(f"a vector for {name} must be {dimension} finite numbers, got {len(vector)}")


def hold_models(*, to_switch: bool = False) -> None:
    """Until the transaction ends no collection's model is switched; `to_switch`: nor is anything written to one."""
    function = "pg_advisory_xact_lock" if to_switch else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended('models of collections', 0))")
