"""Ranks records by meaning and by words and fuses the two rankings, in one SQL statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection, transaction
from django.db.models import QuerySet
from pgvector import Vector as PgVector

from memoryserver.embedding import Vector
from memoryserver.search import statement
from memoryserver.vectors import indexes
from memoryserver.vectors.models import Record
from memoryserver.vectors.terms import terms

CANDIDATES = 200
"""How deep each ranking goes, and how many are found at most; paging ends there."""

EXACT_UP_TO = indexes.EXACT_UP_TO

K1, B = 1.2, 0.75
"""BM25's saturation and length weight, at their usual values."""

_MOST_AXES = 4  # in how many collections the same thing is at most

_FUSION = 200
_TELLING = 4
_UNMET = 0.7
_FLOOR = 0.3
"""A rank counts evidence / (200 + rank). By meaning that is the cosine, by the best one's. By words it is how much a
text holds of the question's four rarest words, from three tenths on; a word that no text has is asked for at 0.7 of
its rarity.

Chosen on half of the questions of `bench/relevance.py` (docs/search.md says which); the figures are flat around all.
"""

_SEARCH_WIDTH = 400
_MOST_VISITED = 200_000
"""hnsw.ef_search and hnsw.max_scan_tuples; `bench/search.py` prints the recall that comes of them."""


@dataclass(frozen=True)
class Ranked:
    """A found record: its fused score, and its place, from 1, in each ranking it is in."""

    record_id: int
    score: float
    semantic_rank: int | None
    lexical_rank: int | None


@dataclass(frozen=True)
class Meaning:
    """The question's vector, its model, and which collections hold vectors of that model to compare it with.

    `indexed` are those of them that have an approximate index.
    """

    vector: Vector
    model: str
    collections: Sequence[str]
    indexed: Sequence[str] = ()


def rank(scope: QuerySet[Record], query: str, meaning: Meaning | None, *, by_words: bool) -> list[Ranked]:
    """The best 200 of `scope` for `query`: by words if `by_words`, by meaning if there is a `meaning`.

    Equal scores are ordered by rank and id, so the same question has the same answer, and pages of it joined
    together are the whole.
    """
    try:
        sql, params = _statement(scope, query, meaning, by_words)
    except EmptyResultSet:  # nobody signed in: Django knows without asking that nothing may be seen
        return []
    with _cursor(by_index="halfvec" in sql) as cursor:
        cursor.execute(sql, params)
        return [Ranked(row[0], float(row[1]), row[2], row[3]) for row in cursor.fetchall()]


def _statement(
    scope: QuerySet[Record], query: str, meaning: Meaning | None, by_words: bool
) -> tuple[str, dict[str, Any]]:
    scope_sql, params = _sql_of(scope, "scope_")
    fused = meaning is not None and by_words
    near = statement.NEAR_NOTHING
    exact: Sequence[str] = ()
    if meaning is not None:
        by_index = [name for name in meaning.indexed if _is_large(scope, name)]
        exact = [name for name in meaning.collections if name not in by_index]
        # Asked for nothing, Postgres would look through all records to find that out.
        parts = [statement.NEAR_EXACTLY] if exact else []
        for number, name in enumerate(by_index):
            part, more = _sql_of(scope.filter(collection=name, embedding__isnull=False), f"part_{number}_")
            dimension, alias = len(meaning.vector), f"part_{number}"
            parts.append(
                statement.NEAR_BY_INDEX.format(scope=part, dimension=dimension, alias=alias, name=f"%({alias})s")
            )
            params |= more | {alias: name}
        near = " UNION ALL ".join(f"({part})" for part in parts) or near
    sql = statement.SQL.format(
        scope=scope_sql,
        near=near,
        semantic_weight=statement.COSINE if fused else statement.ALONE,
        lexical_weight=statement.SHARE if fused else statement.ALONE,
    )
    return sql, params | {
        "terms": terms(query),
        "k1": K1,
        "b": B,
        "floor": _FLOOR,
        "unmet": _UNMET,
        "telling": _TELLING,
        "axes": _MOST_AXES,
        "vector": PgVector(meaning.vector).to_text() if meaning is not None else None,
        "exact": list(exact),
        "model": meaning.model if meaning is not None else None,
        "dimension": len(meaning.vector) if meaning is not None else None,
        "by_words": by_words,
        "candidates": CANDIDATES,
        "fusion": _FUSION,
    }


def _is_large(scope: QuerySet[Record], name: str) -> bool:
    """Whether more of the collection `name` is in scope than is ranked exactly; counts no further than that."""
    return scope.filter(collection=name).order_by().values("pk")[: EXACT_UP_TO + 1].count() > EXACT_UP_TO


@contextmanager
def _cursor(*, by_index: bool) -> Iterator[Any]:
    """A cursor; with what an approximate index needs set for it alone."""
    if not by_index:
        with connection.cursor() as cursor:
            yield cursor
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
            "set_config('hnsw.ef_search', %s, true), set_config('hnsw.max_scan_tuples', %s, true)",
            [str(_SEARCH_WIDTH), str(_MOST_VISITED)],
        )
        yield cursor


def _sql_of(scope: QuerySet[Record], prefix: str) -> tuple[str, dict[str, Any]]:
    """The statement of `scope`, its positional parameters named so that they can stand among ours."""
    columns = ("id", "user_id", "key", "collection", "embedding", "words", "length")
    sql, params = scope.order_by().values(*columns).query.sql_with_params()
    names = [f"{prefix}{number}" for number in range(len(params))]
    return sql % tuple(f"%({name})s" for name in names), dict(zip(names, params, strict=True))
