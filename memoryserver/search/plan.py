"""How a scope is searched, decided by how many rows each way would read.

By meaning: an exact ranking reads each vector of the scope. An approximate index reads the nearest vectors of the whole
collection until enough of them are in the scope, which is more the narrower the scope is; see `smallest_for_index`.

By words: BM25 needs all texts that have a word. In a large scope a frequent word alone would cost more than
everything else, and it decides little. So there only the rarest words of the query, and all frequent ones together,
lead to texts; the others are counted in these and in the texts that are near by meaning. How frequent a word is and
how many records are in scope, Postgres has estimated beforehand (ANALYZE), so no rows are read to decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.contrib.postgres.search import SearchQuery
from django.db.models import QuerySet

from memoryserver import replica
from memoryserver.vectors.models import Record

COUNT_UP_TO = 50_000
"""Records in scope up to which all texts that have a word of the query are read, and all texts are counted."""

WORD_ROWS = 3_000
"""Texts, by estimate, that the words that lead to texts may have together in a larger scope."""

_EXPLAIN = "EXPLAIN (FORMAT json) WITH scope AS NOT MATERIALIZED ({scope}) {parts}"
_PART = "(SELECT 1 FROM scope {condition} LIMIT 1000000000)"
_HAS_WORD = "WHERE words @@ %s::tsquery"


def smallest_for_index(vectors: float, *, exact_up_to: int, width: int, depth: int) -> int:
    """Return how many records of a collection of so many `vectors` must be in scope for an index to be faster.

    Without a filter the index is faster from `exact_up_to` on, where it reads `width` vectors: so reading one of them
    costs `exact_up_to / width` times one in the exact ranking. With `rows` in scope it reads `depth * vectors / rows`.
    """
    return math.ceil(max(exact_up_to, math.sqrt(exact_up_to / width * depth * vectors)))


@dataclass(frozen=True)
class WordsPlan:
    """How a large scope is searched by words.

    `probe` is the tsquery whose matches are ranked, `records` the estimated size of the scope, and `counts` the
    estimated number of texts for each lexeme that leads to no texts of its own.
    """

    probe: str
    records: int
    counts: Mapping[str, int]


def words_plan(scope: QuerySet[Record], terms: Sequence[str], *, records: float) -> WordsPlan | None:
    """Return the plan for a scope of more than COUNT_UP_TO records, by Postgres' estimates, None for a smaller one.

    `records` are those of the whole table.
    """
    if records <= COUNT_UP_TO:
        return None
    quoted = _quoted(terms)
    in_scope, *counts = _estimated(scope, list(quoted.values()))
    if not quoted or in_scope <= COUNT_UP_TO:
        return None
    by_count = sorted(zip(counts, quoted, strict=True))
    leading = max(sum(total <= WORD_ROWS for total in accumulate(count for count, _ in by_count)), 1)
    rare = [quoted[lexeme] for _, lexeme in by_count[:leading]]
    frequent = {lexeme: count for count, lexeme in by_count[leading:]}
    together = [" & ".join(quoted[lexeme] for lexeme in frequent)] if len(frequent) > 1 else []
    return WordsPlan(probe=" | ".join(rare + together), records=in_scope, counts=frequent)


def estimated_size(scope: QuerySet[Record]) -> int:
    """Return the planner's estimate of the number of records of `scope`."""
    return _estimated(scope, [])[0]


def has_words(scope: QuerySet[Record], terms: Sequence[str]) -> bool:
    """Return whether a text of `scope` has one of `terms`; stops at the first."""
    quoted = _quoted(terms).values()
    return bool(quoted) and scope.filter(words=_raw(" | ".join(quoted))).order_by().exists()


def _estimated(scope: QuerySet[Record], words: Sequence[str]) -> list[int]:
    """Return the planner's estimates: of all records in scope, and of those that match each of the tsqueries `words`.

    Costs one query that reads no rows. Each part has a limit, so that no parallel plan divides its number by that of
    the workers.
    """
    sql, params = scope.order_by().values("id", "words").query.sql_with_params()
    parts = [_PART.format(condition=condition) for condition in ("", *[_HAS_WORD] * len(words))]
    with replica.connection().cursor() as cursor:
        cursor.execute(_EXPLAIN.format(scope=sql, parts=" UNION ALL ".join(parts)), [*params, *words])
        ((explained,),) = cursor.fetchone()
    plan = explained["Plan"]
    members = [part for part in plan.get("Plans", []) if part["Parent Relationship"] == "Member"] or [plan]
    return [int(part["Plan Rows"]) for part in members]


def _quoted(terms: Sequence[str]) -> dict[str, str]:
    """Return the lexemes of `terms`, and each as a tsquery has it."""
    with replica.connection().cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT lexeme, quote_literal(lexeme) FROM unnest(%s::text[]) AS asked, "
            "unnest(to_tsvector('english', asked))",
            [list(terms)],
        )
        return dict(cursor.fetchall())


def _raw(quoted: str) -> SearchQuery:
    return SearchQuery(quoted, config="simple", search_type="raw")
