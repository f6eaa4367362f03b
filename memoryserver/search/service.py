"""The search service behind the API, the command and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import User
from memoryserver.search import engine
from memoryserver.search.query_embedding import MODEL_FAILED, MODEL_LOADING, QueryEmbedding, embed_query
from memoryserver.search.scope import (
    MAX_LIMIT,
    MAX_QUERY,
    InvalidSearchError,
    Mode,
    Search,
    collections_of,
    scope_of,
    validated_query,
)
from memoryserver.search.sources import Description, all_sources, source_of
from memoryserver.vectors.models import Record

__all__ = [
    "MAX_LIMIT",
    "MAX_QUERY",
    "MODEL_FAILED",
    "MODEL_LOADING",
    "Answer",
    "Hit",
    "InvalidSearchError",
    "Mode",
    "Search",
    "search",
]


@dataclass(frozen=True)
class Hit:
    """One result with its content, owner, provenance and ranks.

    `id` is the id to read it by, and `size` the length of its full text. `page` is the URL of its page, blank if it has
    none. `axis` is that of the best record if several match. `semantic_rank` and `lexical_rank` count from 1; None
    means that the ranking does not contain it.
    """

    id: str
    source: str
    axis: str
    key: str
    kind: str
    title: str
    text: str
    size: int
    page: str
    user: str
    project: str | None
    created_at: datetime
    origin: Mapping[str, str]
    score: float
    semantic_rank: int | None
    lexical_rank: int | None


@dataclass(frozen=True)
class Answer:
    """The hits, best first, the mode that was used, and a note if that is not the requested one.

    `found` is the number of results, at most 200; `next_offset` is the offset of the next page, None at the end.
    """

    hits: Sequence[Hit] = field(default_factory=list)
    mode: Mode = "hybrid"
    note: str | None = None
    found: int = 0
    next_offset: int | None = None


def search(user: User | AnonymousUser, criteria: Search) -> Answer:
    """Search what `user` may see. Raises InvalidSearchError.

    While the model is not loaded, or if it fails, the search is lexical and the answer has a note.
    """
    query = validated_query(criteria)
    scope = scope_of(user, criteria)
    mode, embedded = _embed(user, query, criteria)
    ranked = engine.rank(scope, query, embedded.vector, by_words=mode != "semantic")
    end = criteria.offset + criteria.limit
    return Answer(
        hits=_hits(ranked[criteria.offset : end]),
        mode=mode,
        note=embedded.note,
        found=len(ranked),
        next_offset=end if end < len(ranked) else None,
    )


def _embed(user: User | AnonymousUser, query: str, criteria: Search) -> tuple[Mode, QueryEmbedding]:
    """Return the mode that is possible, and the query's embedding unless the search is lexical."""
    if criteria.mode == "lexical":
        return criteria.mode, QueryEmbedding(None)
    embedded = embed_query(query, user.pk, collections_of(criteria))
    return (criteria.mode if embedded.vector is not None else "lexical"), embedded


def _hits(ranked: Sequence[engine.Ranked]) -> list[Hit]:
    records = (
        Record.objects.select_related("user", "project")
        .defer("embedding", "words", "terms")
        .in_bulk([row.record_id for row in ranked])
    )
    descriptions = _descriptions(list(records.values()))
    return [
        _hit(row, records[row.record_id], descriptions[row.record_id])
        for row in ranked
        if row.record_id in descriptions
    ]


def _descriptions(records: Sequence[Record]) -> dict[int, Description]:
    """Return descriptions by primary key, with one call per source; records without a description are left out."""
    described: dict[int, Description] = {}
    for source in all_sources():
        own = [record for record in records if record.collection in source.collections]
        if own:
            described.update(source.describe(own))
    return described


def _hit(row: engine.Ranked, record: Record, description: Description) -> Hit:
    source = source_of(record.collection)
    size = len(description.title) + len(description.text) if description.size is None else description.size
    return Hit(
        id=f"{source.name}/{record.key}",
        source=source.name,
        axis=source.collections[record.collection],
        key=record.key,
        kind=description.kind,
        title=description.title,
        text=description.text,
        size=size,
        page=description.page,
        user=record.user.get_username(),
        project=record.project.key if record.project else None,
        created_at=record.created_at,
        origin=description.origin,
        score=row.score,
        semantic_rank=row.semantic_rank,
        lexical_rank=row.lexical_rank,
    )
