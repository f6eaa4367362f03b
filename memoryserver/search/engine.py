"""Ranks records by meaning and by words and fuses the two rankings, in one SQL statement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from memoryserver import replica
from memoryserver.embedding import Vector
from memoryserver.search import plan, statement
from memoryserver.vectors import indexes
from memoryserver.vectors.terms import terms

CANDIDATES = 200
"""Depth of each ranking, and maximum number of results over all pages."""

EXACT_UP_TO = indexes.EXACT_UP_TO

K1, B = 1.2, 0.75
"""BM25's term saturation and length normalisation, at their usual values."""

_MAX_AXES = 4  # collections that the same document can be in

# The score of a record is
#
#     semantic evidence / (FUSION + semantic rank)  +  lexical evidence / (FUSION + lexical rank)
#
# The semantic evidence is the cosine divided by the best cosine. The lexical evidence is the share of the query that
# the text covers: the idf of its terms divided by the idf of the query's TOP_TERMS rarest terms, rescaled so that
# EVIDENCE_FLOOR becomes 0 and 1 stays 1. A term that no text has counts there with MISSING_TERM_WEIGHT of its idf.
#
# The values were chosen on half of the queries of `bench/relevance.py` (docs/search.md says which); results hardly
# change around them.
FUSION = 200
TOP_TERMS = 4
MISSING_TERM_WEIGHT = 0.7
EVIDENCE_FLOOR = 0.3

_WEIGHTS = {
    "k1": K1,
    "b": B,
    "evidence_floor": EVIDENCE_FLOOR,
    "missing_term_weight": MISSING_TERM_WEIGHT,
    "top_terms": TOP_TERMS,
    "candidates": CANDIDATES,
    "fusion": FUSION,
}

_SEARCH_WIDTH = 400
_MAX_SCAN_TUPLES = 200_000
"""hnsw.ef_search and hnsw.max_scan_tuples; `bench/search.py` prints the resulting recall."""

_WIDTH_ENOUGH_FOR = 200_000
_LARGEST_WIDTH = 1_000
"""Vectors up to which that width is enough, and pgvector's limit. At a million 400 find 0.92 of the ten nearest."""


# Sent with the statement, which then is a transaction by itself. Without Postgres' compiler, which takes longer than
# what it compiles.
_SETTINGS = f"""
SELECT set_config('jit', 'off', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', %(width)s, true),
    set_config('hnsw.max_scan_tuples', '{_MAX_SCAN_TUPLES}', true);
"""

_NEVER = datetime.min.replace(tzinfo=UTC)
_DOUBT = 2  # factor within which an estimate may be wrong
_SAMPLE = 2_000  # texts whose average length stands for that of a large scope


class Ranked(NamedTuple):
    """A result: its fused score, and its rank, from 1, in each ranking that contains it.

    `cosine` is its similarity to the query, None if the semantic ranking does not contain it. `share` is how much of
    the query its text covers, from 0 to 1, and `words` are the words of the query that it has, the rarest first.
    `user_id`, `collection`, `key`, `terms` and `created_at` are those of the record, `codes` its token codes, None if
    it has none or they were not asked for.
    """

    record_id: int
    user_id: int
    collection: str
    key: str
    terms: str
    score: float
    semantic_rank: int | None
    lexical_rank: int | None
    cosine: float | None = None
    share: float = 0.0
    words: Sequence[str] = ()
    created_at: datetime = _NEVER
    codes: bytes | None = None


@dataclass(frozen=True)
class QueryVector:
    """The query's vector, its model, and the collections whose vectors are of that model.

    `indexed` are those of the collections that have an approximate index. `tokens` are those of each wording of the
    query, as `embedding.Embedding` has them, if the model tells them.
    """

    vector: Vector
    model: str
    collections: Sequence[str]
    indexed: Sequence[str] = ()
    tokens: Sequence[bytes] = ()


def rank(
    scope: plan.Scope,
    query: str,
    query_vector: QueryVector | None,
    known: plan.Facts | None = None,
    *,
    by_words: bool,
    filtered: bool = True,
    with_codes: int = 0,
) -> list[Ranked]:
    """Return the best 200 of `scope` for `query`: lexically if `by_words`, semantically if there is a query vector.

    `known` are the facts of the query and at least the vector's collections, if the caller has them. `filtered` is
    whether `scope` is less than all that a user may see in some collections. The first `with_codes` have their token
    codes. Equal scores are ordered by rank and id, so results are deterministic and paging is consistent.
    """
    words = terms(query).split()
    indexed = query_vector.indexed if query_vector is not None else ()
    facts = (known or plan.facts(indexed, words)).only(indexed, by_words=by_words)
    sql, params = _statement(
        scope, words, query_vector, facts, by_words=by_words, filtered=filtered, with_codes=with_codes
    )
    large = "halfvec" in sql or "rare" in params
    kept = not large and not filtered and _is_small_table(facts)
    database: Any = replica.connection()
    with database.prepared_cursor(binary=True) if kept else database.cursor() as cursor:
        cursor.execute(_SETTINGS + sql if large else sql, params)
        if large:
            cursor.nextset()
        return list(map(Ranked._make, cursor.fetchall()))


def _is_small_table(facts: plan.Facts) -> bool:
    """Return whether any plan is good enough, so that Postgres may keep one, which saves a third of a statement's time.

    A table that was never analysed (-1) may be of any size.
    """
    return 0 <= facts.records <= plan.COUNT_UP_TO


def has_words(scope: plan.Scope, query: str) -> bool:
    """Return whether a text of `scope` has a word of `query`."""
    return plan.has_words(scope, terms(query).split())


def _statement(
    scope: plan.Scope,
    words: Sequence[str],
    query_vector: QueryVector | None,
    facts: plan.Facts,
    *,
    by_words: bool,
    filtered: bool = True,
    with_codes: int = 0,
) -> tuple[str, dict[str, Any]]:
    """Return the SQL that ranks `scope`, and its parameters."""
    indexed = query_vector.indexed if query_vector is not None else ()
    estimated = _estimated(scope, facts, filtered=filtered)
    words_plan = plan.words_plan(facts.lexemes, estimated)
    by_index = [name for name in indexed if _is_large(scope, name, facts, estimated)]
    near, near_params = (statement.NEAR_NOTHING, {}) if query_vector is None else _nearest(query_vector, by_index)
    fused = query_vector is not None and by_words
    sql = statement.SQL.format(
        scope=scope.sql,
        near=near,
        best=statement.BEST_OF_SEVERAL if query_vector and query_vector.collections[1:] else statement.BEST_OF_ONE,
        codes=statement.CODES if with_codes and query_vector is not None else statement.NO_CODES,
        **_words_sql(words_plan, facts),
        semantic_weight=statement.COSINE if fused else statement.UNWEIGHTED,
        lexical_weight=statement.EVIDENCE if fused else statement.UNWEIGHTED,
    )
    return sql, {
        **scope.params,
        **near_params,
        **_words_params(words_plan, facts, words),
        "by_words": by_words,
        "with_codes": with_codes,
        "width": str(_width(max((facts.vectors[name] for name in by_index), default=0))),
        **_WEIGHTS,
    }


def _width(vectors: float) -> int:
    """Return hnsw.ef_search for an index of so many vectors: the larger, the more are passed on the way."""
    growth = math.sqrt(max(vectors / _WIDTH_ENOUGH_FOR, 1))
    return min(round(_SEARCH_WIDTH * growth), _LARGEST_WIDTH)


def _words_sql(words_plan: plan.WordsPlan | None, facts: plan.Facts) -> dict[str, str]:
    """Return the SQL of the texts that are ranked by words, and of the number of records with their average length."""
    if words_plan is None:
        corpus = statement.WHOLE_CORPUS if facts.corpus is None else statement.KNOWN_CORPUS
        return {"candidate": statement.WHOLE_SCOPE, "corpus": corpus}
    probes = [statement.RARE, statement.TOGETHER] if words_plan.together else [statement.RARE]
    candidates = statement.PROBED.format(probes=" UNION ALL ".join(probes))
    return {"candidate": candidates, "corpus": statement.ESTIMATED_CORPUS}


def _words_params(words_plan: plan.WordsPlan | None, facts: plan.Facts, words: Sequence[str]) -> dict[str, Any]:
    params: dict[str, Any] = {"terms": list(words)}
    if words_plan is None:
        records, average_length = facts.corpus or (None, None)
        return params | {"lexemes": [], "counts": [], "records": records, "average_length": average_length}
    return params | {
        "lexemes": list(words_plan.counts),
        "counts": list(words_plan.counts.values()),
        "records": words_plan.records,
        "rare": words_plan.rare,
        "together": words_plan.together,
        "word_rows": 2 * plan.WORD_ROWS,  # the plan is by estimates
        "sample": _SAMPLE,
    }


def _nearest(query_vector: QueryVector, by_index: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the SQL of the records nearest to the vector, by index in those collections, and its parameters."""
    exact = [name for name in query_vector.collections if name not in by_index]
    dimension = len(query_vector.vector)
    params: dict[str, Any] = {
        "vector": orjson.dumps(list(query_vector.vector)).decode(),
        "model": query_vector.model,
        "dimension": dimension,
        "exact": exact,
        "compared": list(query_vector.collections),
        "axes": min(len(query_vector.collections), _MAX_AXES),
    }
    # Without this condition Postgres would scan all records to find that none is in an empty list of collections.
    parts = [statement.NEAR_EXACTLY] if exact else []
    for number, name in enumerate(by_index):
        alias = f"part_{number}"
        parts.append(statement.NEAR_BY_INDEX.format(dimension=dimension, name=f"%({alias})s"))
        params[alias] = name
    return " UNION ALL ".join(f"({part})" for part in parts) or statement.NEAR_NOTHING, params


def _estimated(scope: plan.Scope, facts: plan.Facts, *, filtered: bool) -> plan.Estimates | None:
    """Return Postgres' estimates of what decides how `scope` is searched, None if its size does.

    Filters that depend on each other are estimated badly, so of a scope with filters the collections are counted.
    """
    lexemes = list(facts.lexemes.values()) if facts.records > plan.COUNT_UP_TO else []
    doubtful = [name for name, vectors in facts.vectors.items() if not filtered and not _is_small(vectors)]
    return plan.estimates(scope, lexemes, doubtful) if lexemes or doubtful else None


def _is_large(scope: plan.Scope, name: str, facts: plan.Facts, estimated: plan.Estimates | None) -> bool:
    """Return whether the scope has so many vectors of the collection `name` that its index is faster.

    Where the estimates leave no doubt they decide. Else the records in scope are counted, no further than that: a
    narrow scope that is searched by index loses results.
    """
    vectors = facts.vectors[name]
    if _is_small(vectors):
        return False
    least = _least(vectors)
    if estimated is not None and estimated.collections.get(name, 0) > least * _DOUBT:
        return True
    return plan.has_more(scope, name, least)


def _is_small(vectors: float) -> bool:
    """Return whether a collection of so many `vectors` is searched exactly in any scope; 0 says that nobody knows."""
    return 0 < vectors < _least(vectors) / _DOUBT


def _least(vectors: float) -> int:
    return plan.smallest_for_index(vectors, exact_up_to=EXACT_UP_TO, width=_SEARCH_WIDTH, depth=CANDIDATES)
