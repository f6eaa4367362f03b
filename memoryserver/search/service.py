"""The search service behind the API, the command and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from memoryserver import replica
from memoryserver.accounts.models import User
from memoryserver.search import engine, floor, query_embedding
from memoryserver.search.engine import QueryVector
from memoryserver.search.folding import Folded, fold
from memoryserver.search.ordering import preference
from memoryserver.search.ordering.outdated import behind_later
from memoryserver.search.plan import Facts, Scope
from memoryserver.search.query_embedding import MODEL_FAILED, MODEL_LOADING, QueryEmbedding, embed_query
from memoryserver.search.questions import framing, periods
from memoryserver.search.questions.preparation import prepare
from memoryserver.search.questions.speakers import names_in, restated, speaking
from memoryserver.search.reranking import DEPTH, reranker
from memoryserver.search.rescoring import tokens, turns
from memoryserver.search.scope import (
    MAX_LIMIT,
    MAX_QUERY,
    InvalidSearchError,
    Mode,
    Search,
    collections_of,
    statement_of,
    validated_query,
)
from memoryserver.search.sources import Description, all_sources, source_of
from memoryserver.search.timing import Timing
from memoryserver.statements import compiled
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
    means that the ranking does not contain it. `words` are the words of the query that the text has, the rarest first.
    `same` are the ids of near-equal results, folded into this one. `mine` is whether the asking user stored it.
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
    mine: bool
    project: str | None
    created_at: datetime
    origin: Mapping[str, str]
    score: float
    semantic_rank: int | None
    lexical_rank: int | None
    words: Sequence[str]
    same: Sequence[str]


@dataclass(frozen=True)
class Answer:
    """The hits, best first, the mode that was used, and a note if that is not the requested one.

    `found` is the number of results that count (see `floor`), at most 200, near-equal ones as one (see `folding`);
    `records` are the keys of their records. `folded` is how many are folded into others. `next_offset` is the offset
    of the next page, None at the end. `timing` has the milliseconds of each phase.
    """

    hits: Sequence[Hit] = field(default_factory=list)
    mode: Mode = "hybrid"
    note: str | None = None
    found: int = 0
    records: Sequence[int] = ()
    folded: int = 0
    next_offset: int | None = None
    timing: Mapping[str, float] = field(default_factory=dict)


def search(user: User | AnonymousUser, criteria: Search) -> Answer:
    """Search what `user` may see. Raises InvalidSearchError.

    While the model is not loaded, or if it fails, the search is lexical and the answer has a note. With a replica of
    the database, what was written a moment ago may be missing.
    """
    return replica.with_replica(lambda: _search(user, criteria))


def _search(user: User | AnonymousUser, criteria: Search) -> Answer:
    timing = Timing()
    query = validated_query(criteria)
    scope = statement_of(user, criteria)
    query, people = framing.unframed(query, user)
    found = _ranked_by_time(user, scope, query, criteria, timing) or _ranked(user, scope, query, criteria, timing)
    rows = preference.by_person(_passing(found, scope, query), people)
    results = fold(preference.of_project(rows, criteria.here))
    if found.mode == "hybrid" and reranker.enabled():
        with timing.phase("rerank"):
            results = _reranked(query, results)
    results = behind_later(results)
    end = criteria.offset + criteria.limit
    hits = _hits(results[criteria.offset : end], user)
    return Answer(
        hits=hits,
        mode=found.mode,
        note=found.embedded.note,
        found=len(results),
        records=[result.best.record_id for result in results],
        folded=sum(len(result.same) for result in results),
        next_offset=end if end < len(results) else None,
        timing=timing.durations(),
    )


@dataclass(frozen=True)
class _Ranking:
    """The records in their order, the mode that was possible, and the query's embedding."""

    rows: Sequence[engine.Ranked]
    mode: Mode
    embedded: QueryEmbedding


def _ranked(user: User | AnonymousUser, scope: Scope, query: str, criteria: Search, timing: Timing) -> _Ranking:
    asked = _embed(user, scope, query, criteria, timing)
    by_words, is_hybrid = asked.mode != "semantic", asked.mode == "hybrid"
    vector, is_filtered = asked.embedded.vector, criteria.is_filtered
    depth = tokens.DEPTH if is_hybrid and vector is not None and vector.tokens and not asked.names else 0
    with timing.phase("rank"):
        rows = engine.rank(scope, query, vector, asked.facts, by_words=by_words, filtered=is_filtered, with_codes=depth)
    if is_hybrid and vector is not None:
        rows = _rescored(rows, scope, query, vector, asked.names, timing)
    return _Ranking(rows, asked.mode, asked.embedded)


def _rescored(
    rows: list[engine.Ranked], scope: Scope, query: str, vector: QueryVector, names: Sequence[str], timing: Timing
) -> list[engine.Ranked]:
    """Return the results of a hybrid search after a second look at the first; `names` are of speakers in the query."""
    if names:
        with timing.phase("turns"):
            return turns.ordered(rows, scope, query, vector, names)
    if vector.tokens:
        with timing.phase("tokens"):
            return tokens.ordered(rows, vector)
    return rows


def _ranked_by_time(
    user: User | AnonymousUser, scope: Scope, query: str, criteria: Search, timing: Timing
) -> _Ranking | None:
    """Return the ranking by the query without the time in it, what is from then raised.

    None if it names no time, if nothing is from then, or in other modes than hybrid.
    """
    period = periods.period_of(query, timezone.now()) if criteria.mode == "hybrid" else None
    if period is None:
        return None
    ranking = _ranked(user, scope, period.rest_of(query), criteria, timing)
    if ranking.mode != "hybrid" or not any(period.has(row.created_at) for row in ranking.rows):
        return None
    return replace(ranking, rows=periods.raised(ranking.rows, period))


def _passing(ranking: _Ranking, scope: Scope, query: str) -> Sequence[engine.Ranked]:
    """Return what counts as found."""
    background = ranking.embedded.background
    if background is None:
        return ranking.rows
    if ranking.mode == "semantic":
        known_words = floor.is_sentence(query) or engine.has_words(scope, query)  # for a sentence it is all the same
    else:
        known_words = any(row.lexical_rank for row in ranking.rows)
    return floor.passing(ranking.rows, background, query, known_words=known_words)


def _reranked(query: str, results: Sequence[Folded]) -> list[Folded]:
    """Return `results` with the first DEPTH in the reranker's order."""
    first, rest = results[:DEPTH], results[DEPTH:]
    texts = Record.objects.only("text").in_bulk([result.best.record_id for result in first])
    present = [result for result in first if result.best.record_id in texts]
    return reranker.order(query, present, [texts[result.best.record_id].text for result in present]) + list(rest)


@dataclass(frozen=True)
class _Asked:
    """The mode that is possible and, unless that was to be lexical, the query's embedding, facts and named speakers."""

    mode: Mode
    embedded: QueryEmbedding
    facts: Facts | None = None
    names: Sequence[str] = ()


def _embed(user: User | AnonymousUser, scope: Scope, query: str, criteria: Search, timing: Timing) -> _Asked:
    if criteria.mode == "lexical":
        return _Asked(criteria.mode, QueryEmbedding(None))
    forms, begun = [query], [query_embedding.begin(query, user.pk)]  # the model computes while the database is asked
    known = prepare(scope, query, collections_of(criteria), names_in(query), by_words=criteria.mode != "semantic")
    names = speaking(known.heads)
    other = restated(query, names)
    if other is not None:
        forms.append(other)
        begun.append(query_embedding.begin(other, user.pk))
    with timing.embedding():
        embedded = embed_query(forms, user.pk, known.collections, begun)
    return _Asked(criteria.mode if embedded.vector is not None else "lexical", embedded, known.facts, names)


def _hits(results: Sequence[Folded], user: User | AnonymousUser) -> list[Hit]:
    records = {row[0]: row for row in _RECORDS.rows(ids=[result.best.record_id for result in results])}
    descriptions = _descriptions([_record(row) for row in records.values()])
    return [
        _hit(result, records[result.best.record_id], descriptions[result.best.record_id], user)
        for result in results
        if result.best.record_id in descriptions
    ]


_FIELDS = ("id", "user_id", "project_id", "collection", "key", "text", "created_at")
_RECORDS = compiled.CompiledRows(
    lambda: Record.objects.filter(pk__in=[compiled.IDS]).values_list(*_FIELDS, "user__username", "project__key")
)


def _record(row: tuple[Any, ...]) -> Record:
    """Return the record of a row of _RECORDS; its other fields are read when they are used."""
    return Record.from_db("default", _FIELDS, row[: len(_FIELDS)])


def _descriptions(records: Sequence[Record]) -> dict[int, Description]:
    """Return descriptions by primary key, with one call per source; records without a description are left out."""
    described: dict[int, Description] = {}
    for source in all_sources():
        own = [record for record in records if record.collection in source.collections]
        if own:
            described.update(source.describe(own))
    return described


def _hit(result: Folded, record: tuple[Any, ...], description: Description, user: User | AnonymousUser) -> Hit:
    row = result.best
    source = source_of(row.collection)
    *_, created_at, username, project = record
    size = len(description.title) + len(description.text) if description.size is None else description.size
    return Hit(
        id=f"{source.name}/{row.key}",
        source=source.name,
        axis=source.collections[row.collection],
        key=row.key,
        kind=description.kind,
        title=description.title,
        text=description.text,
        size=size,
        page=description.page,
        user=username,
        mine=row.user_id == user.pk,
        project=project,
        created_at=created_at,
        origin=description.origin,
        score=row.score,
        semantic_rank=row.semantic_rank,
        lexical_rank=row.lexical_rank,
        words=row.words,
        same=result.same,
    )
