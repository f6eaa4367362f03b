"""A source of its own kind for tests of search: notes, with two axes and a filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from memoryserver.accounts.models import Project, User
from memoryserver.embedding import EmbeddingService
from memoryserver.search import sources
from memoryserver.search.sources import Description, Filter, Source
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore
from tests.support.embedder import WordEmbedder

BORN = datetime(2026, 1, 2, tzinfo=UTC)


def describe(records: Sequence[Record]) -> dict[int, Description]:
    """Each by its text, but for one that is gone."""
    return {
        row.pk: Description(title=row.key, kind="note", text=row.text, origin={"book": "1"})
        for row in records
        if row.key != "gone"
    }


@contextmanager
def registered() -> Iterator[None]:
    """The source `notes` can be searched."""
    source = Source(
        name="notes",
        collections={"notes_a": "first", "notes_b": "second"},
        describe=describe,
        read=lambda *_: [],
        near=lambda *_: [],
        filters={"colour": Filter("paint", ["red", "blue"])},
    )
    sources.register(source)
    try:
        yield
    finally:
        del sources._sources["notes"]


def put(
    user: User,
    key: str,
    text: str,
    *,
    project: Project | None = None,
    collection: str = "notes_a",
    born: datetime = BORN,
    embedder: EmbeddingService | None = None,
    **payload: object,
) -> None:
    """A note of `user`'s with its vector."""
    by = embedder or WordEmbedder()
    store = PgVectorStore(user, project)
    store.ensure_collection(collection, model=by.model_name, dimension=by.dimension)
    item = Item(key=key, text=text, created_at=born, payload=payload, vector=by.embed(text))
    store.upsert(collection, [item])
