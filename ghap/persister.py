"""Embedding of resolved entries along the four axes, and storing of the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from asgiref.sync import sync_to_async
from django.db import connection, transaction
from django.utils import timezone

from ghap.axes import AXES, axis_texts, payload, resolved
from ghap.local import GHAPEntry
from ghap.models import Entry
from memoryserver.embedding import EmbeddingService
from memoryserver.reported_times import credible
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore, VectorStore, embedding_digest


class ObservationPersister:
    """Persists resolved GHAP entries to a vector store, one vector for each axis that applies.

    Idempotent: an entry with changed content replaces its vectors, vectors of axes that no longer apply are deleted,
    and axes with unchanged text are not embedded again. Errors of the embedding service (EmbeddingModelError) and of
    the store (VectorStoreError) are propagated; what was written before stays, and calling again is safe.
    """

    def __init__(
        self, embedding_service: EmbeddingService, vector_store: VectorStore, collection_prefix: str = "ghap"
    ) -> None:
        self._embedding = embedding_service
        self._store = vector_store
        self._prefix = collection_prefix

    async def persist(self, entry: GHAPEntry) -> None:
        """Embed `entry` along its axes and store it. Raises ValueError if it is not resolved."""
        await self.persist_batch([entry])

    async def persist_batch(self, entries: list[GHAPEntry]) -> None:
        """Persist `entries`, the texts embedded in one batch for each axis.

        Of several entries with one id the last one counts. Raises ValueError, before any work, if one of them is not
        resolved.
        """
        await sync_to_async(self.persist_now)(entries)

    async def ensure_collections(self) -> None:
        """Create the four collections unless they exist. May load the model."""
        await sync_to_async(self._ensure_collections)()

    def persist_now(self, entries: Sequence[GHAPEntry]) -> None:
        """Persist `entries` as `persist_batch` does, for synchronous callers such as jobs."""
        for entry in entries:
            resolved(entry)
        latest = _latest(entries)
        self._ensure_collections()
        for axis in AXES:
            self._persist_axis(axis, latest)

    def stage(self, entries: Sequence[GHAPEntry]) -> None:
        """Store the texts of `entries` for lexical search, until they are embedded; needs no model."""
        latest = _latest(entries)
        for axis in AXES:
            self._store_items(axis, latest, [self._item(axis, entry) for entry in latest if axis in axis_texts(entry)])

    def _persist_axis(self, axis: str, entries: Sequence[GHAPEntry]) -> None:
        items = [self._item(axis, entry) for entry in entries if axis in axis_texts(entry)]
        stored = self._store.embedded_as(self._collection(axis), [item.key for item in items])
        changed = [item for item in items if stored.get(item.key) != item.embedded_as]
        vectors = self._embedding.embed_batch([item.text for item in changed])
        embedded = {item.key: vector for item, vector in zip(changed, vectors, strict=True)}
        self._store_items(axis, entries, [replace(item, vector=embedded.get(item.key)) for item in items])

    def _store_items(self, axis: str, entries: Sequence[GHAPEntry], items: list[Item]) -> None:
        applicable = {item.key for item in items}
        self._store.upsert(self._collection(axis), items)
        self._store.delete(self._collection(axis), [entry.id for entry in entries if entry.id not in applicable])

    def _item(self, axis: str, entry: GHAPEntry) -> Item:
        text = axis_texts(entry)[axis]
        digest = embedding_digest(self._embedding.model_name, text)
        created_at = credible(entry.created_at, timezone.now())  # the payload has the time of the laptop
        return Item(entry.id, text, created_at, payload(entry, axis), embedded_as=digest)

    def _ensure_collections(self) -> None:
        for axis in AXES:
            self._store.ensure_collection(
                self._collection(axis), model=self._embedding.model_name, dimension=self._embedding.dimension
            )

    def _collection(self, axis: str) -> str:
        return f"{self._prefix}_{axis}"


def _latest(entries: Sequence[GHAPEntry]) -> list[GHAPEntry]:
    """Return the last of the entries with each id, in the order of ids in which concurrent writers lock rows."""
    latest = {entry.id: entry for entry in entries}
    return [latest[key] for key in sorted(latest)]


class _StoreOfEntries(PgVectorStore):
    """A store that writes nothing of an entry that was deleted, as it may be while its texts are being embedded."""

    def upsert(self, name: str, items: Sequence[Item]) -> None:
        """See VectorStore."""
        with transaction.atomic():
            stored = self._lock([item.key for item in items])
            super().upsert(name, [item for item in items if item.key in stored])

    def _lock(self, ids: Sequence[str]) -> set[str]:
        """Return which of the entries exist; their deletion then waits for the transaction, and other changes do not.

        Intake writes texts before entries, so a stronger lock (as `select_for_update` takes) could deadlock with it.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT ghap_id FROM ghap_entry WHERE user_id = %s AND ghap_id = ANY(%s) ORDER BY id FOR KEY SHARE",
                [self._user.pk, list(ids)],
            )
            return {ghap_id for (ghap_id,) in cursor.fetchall()}


def persist_rows(rows: Sequence[Entry], embedding_service: EmbeddingService) -> None:
    """Persist the entries of `rows` with their assessed tier, except for those that were deleted.

    Raises the errors of ObservationPersister.
    """

    def owner(row: Entry) -> tuple[int, int]:
        return row.user_id, row.project_id or 0

    for _, group in groupby(sorted(rows, key=owner), key=owner):
        owned = list(group)
        store = _StoreOfEntries(owned[0].user, owned[0].project)
        ObservationPersister(embedding_service, store).persist_now([row.assessed_entry for row in owned])


def delete_vectors(row: Entry) -> None:
    """Delete the texts and vectors of an entry that is deleted, so that no search counts it any more."""
    collections = [f"ghap_{axis}" for axis in AXES]
    Record.objects.filter(user=row.user_id, collection__in=collections, key=row.ghap_id).delete()
