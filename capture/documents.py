"""Learnings as items of the collection `learnings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import EmbeddingService, Vector, service
from memoryserver.vectors import backlog
from memoryserver.vectors.store import Item, PgVectorStore, embedding_digest

COLLECTION = "learnings"


def stage(user: User, project: Project | None, learnings: Sequence[Learning]) -> None:
    """Store the texts of `learnings` for lexical search, until they are embedded."""
    _store(user, project, learnings, service().model_name, {})


def stage_new(user: User, project: Project | None, learnings: Sequence[Learning]) -> None:
    """Do the same for `learnings` that were just created and are shown; within the transaction that created them."""
    model_name = service().model_name
    PgVectorStore(user, project).insert(COLLECTION, [_item(learning, model_name, None) for learning in learnings])


def embed(user: User, project: Project | None, learnings: Sequence[Learning], embedding: EmbeddingService) -> None:
    """Embed `learnings`, all of this user and project, in one batch. Raises EmbeddingModelError, VectorStoreError."""
    store = PgVectorStore(user, project)
    store.ensure_collection(COLLECTION, model=embedding.model_name, dimension=embedding.dimension)
    vectors = embedding.embed_batch([learning.content for learning in learnings])
    # Learnings that were corrected, hidden or deleted during the embedding must not be restored.
    current = Learning.objects.select_for_update().in_bulk([learning.pk for learning in learnings])
    by_pk = {
        learning.pk: vector
        for learning, vector in zip(learnings, vectors, strict=True)
        if learning.pk in current and current[learning.pk].content == learning.content
    }
    _store(user, project, [current[pk] for pk in by_pk], embedding.model_name, by_pk)


def delete_vectors(learning: Learning) -> None:
    """Delete the text and vector of a learning that is deleted."""
    PgVectorStore(User(pk=learning.user_id)).delete(COLLECTION, [str(learning.pk)])


def embed_pending(embedder: EmbeddingService) -> int:
    """Embed every learning that is due and return how many; 0 while there is nothing to embed with.

    Raises EmbeddingModelError if the model cannot be loaded.
    """
    return backlog.embed_due(Learning.objects.select_related("user", "project"), embedder, _embed_rows)


def _embed_rows(embedder: EmbeddingService, rows: Sequence[Learning]) -> None:
    ordered = sorted(rows, key=lambda row: (row.user_id, row.project_id or 0))
    for _, group in groupby(ordered, key=lambda row: (row.user_id, row.project_id)):
        owned = list(group)
        embed(owned[0].user, owned[0].project, owned, embedder)


def _store(
    user: User,
    project: Project | None,
    learnings: Sequence[Learning],
    model_name: str,
    vectors: Mapping[int, Vector],
) -> None:
    """Store `learnings` in the collection; hidden and merged ones are removed instead."""
    visible = [learning for learning in learnings if not learning.hidden and learning.merged_into_id is None]
    store = PgVectorStore(user, project)
    store.upsert(COLLECTION, [_item(learning, model_name, vectors.get(learning.pk)) for learning in visible])
    store.delete(COLLECTION, [str(learning.pk) for learning in learnings if learning not in visible])


def _item(learning: Learning, model_name: str, vector: Vector | None) -> Item:
    return Item(
        key=str(learning.pk),
        text=learning.content,
        created_at=learning.first_seen,
        payload={"type": learning.type, "source": learning.source, "confidence": learning.confidence},
        vector=vector,
        embedded_as=embedding_digest(model_name, learning.content),
    )
