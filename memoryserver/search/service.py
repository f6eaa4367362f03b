"""The search that API, command and page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import User
from memoryserver.search import engine
from memoryserver.search.meaning import MODEL_FAILED, MODEL_LOADING, Understood, understand
from memoryserver.search.scope import (
    MAX_LIMIT,
    MAX_QUERY,
    InvalidSearchError,
    Mode,
    Search,
    checked_query,
    collections_of,
    scope_of,
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
    """One found thing: what it says, who had it, when, where from; and how it was found.

    `id` is that to read it by, and `size` how many characters it then has. `page` is the address of its page, blank
    where it has none. `axis` is the one that won where several found it. `semantic_rank` and `lexical_rank` are its
    places, from 1, by meaning and by words, None where that ranking does not have it.
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
    """The hits, best first; by which mode they were found, and a note where that is not the one asked for.

    `found` is how many there are, of which at most 200 can be paged through; `next_offset` is where the next page
    begins, None at the end.
    """

    hits: Sequence[Hit] = field(default_factory=list)
    mode: Mode = "hybrid"
    note: str | None = None
    found: int = 0
    next_offset: int | None = None


def search(user: User | AnonymousUser, wanted: Search) -> Answer:
    """What `user` may see that answers `wanted`. Raises InvalidSearchError.

    While the model is not loaded, or when it fails, the search is lexical and says so.
    """
    query = checked_query(wanted)
    scope = scope_of(user, wanted)
    mode, understood = _meaning(user, query, wanted)
    ranked = engine.rank(scope, query, understood.meaning, by_words=mode != "semantic")
    end = wanted.offset + wanted.limit
    return Answer(
        hits=_hits(ranked[wanted.offset : end]),
        mode=mode,
        note=understood.note,
        found=len(ranked),
        next_offset=end if end < len(ranked) else None,
    )


def _meaning(user: User | AnonymousUser, query: str, wanted: Search) -> tuple[Mode, Understood]:
    if wanted.mode == "lexical":
        return wanted.mode, Understood(None)
    understood = understand(query, user.pk, collections_of(wanted))
    return (wanted.mode if understood.meaning is not None else "lexical"), understood


def _hits(ranked: Sequence[engine.Ranked]) -> list[Hit]:
    records = (
        Record.objects.select_related("user", "project")
        .defer("embedding", "words", "terms")
        .in_bulk([found.record_id for found in ranked])
    )
    descriptions = _descriptions(list(records.values()))
    return [
        _hit(found, records[found.record_id], descriptions[found.record_id])
        for found in ranked
        if found.record_id in descriptions
    ]


def _descriptions(records: Sequence[Record]) -> dict[int, Description]:
    """Of all records, each source asked once; one that its source no longer knows has none, and is left out."""
    described: dict[int, Description] = {}
    for source in all_sources():
        own = [record for record in records if record.collection in source.collections]
        if own:
            described.update(source.describe(own))
    return described


def _hit(found: engine.Ranked, record: Record, description: Description) -> Hit:
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
        score=found.score,
        semantic_rank=found.semantic_rank,
        lexical_rank=found.lexical_rank,
    )
