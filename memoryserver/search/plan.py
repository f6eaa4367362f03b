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
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet

from memoryserver import replica
from memoryserver.vectors.indexes import index_name
from memoryserver.vectors.models import Record

COUNT_UP_TO = 50_000
"""Records in scope up to which all texts that have a word of the query are read, and all texts are counted."""

WORD_ROWS = 3_000
"""Texts, by estimate, that the words that lead to texts may have together in a larger scope."""

_COLUMNS = ("id", "user_id", "key", "collection", "text", "embedding", "words", "length")
_NOTHING = f"SELECT {', '.join(_COLUMNS)} FROM {Record._meta.db_table} WHERE false"  # noqa: S608  (names of columns)
_ALL = "WITH scope AS NOT MATERIALIZED ({}) "
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM scope WHERE collection = %(name)s LIMIT %(most)s) AS part"
_ANY = "SELECT EXISTS (SELECT 1 FROM scope WHERE words @@ %(words)s::tsquery)"
_PART = "(SELECT 1 FROM scope {condition} LIMIT 1000000000)"
_HAS_WORD = "WHERE words @@ %({})s::tsquery"
_IS_IN = "WHERE collection = %({})s"

FACTS = """
SELECT (SELECT reltuples FROM pg_class WHERE oid = %(table)s::regclass),
    ARRAY(
        SELECT coalesce((SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = to_regclass(name)), 0)
        FROM unnest(%(indexes)s::text[]) WITH ORDINALITY AS asked(name, place) ORDER BY place
    ),
    ARRAY(SELECT DISTINCT lexeme FROM unnest(%(terms)s::text[]) AS asked, unnest(to_tsvector('english', asked)))
"""
"""The columns of `facts_of`; with `facts_parameters`."""

CORPUS = f"""
SELECT CASE
    WHEN %(counted)s AND (SELECT reltuples FROM pg_class WHERE oid = %(table)s::regclass) BETWEEN 0 AND {COUNT_UP_TO}
    THEN (SELECT ARRAY[count(*), avg(length)]::float8[] FROM scope) END
"""  # noqa: S608  (a constant)
"""The records in scope and their average length if `counted` and if the table is small; needs the table of FACTS."""


def smallest_for_index(vectors: float, *, exact_up_to: int, width: int, depth: int) -> int:
    """Return how many records of a collection of so many `vectors` must be in scope for an index to be faster.

    Without a filter the index is faster from `exact_up_to` on, where it reads `width` vectors: so reading one of them
    costs `exact_up_to / width` times one in the exact ranking. With `rows` in scope it reads `depth * vectors / rows`.
    """
    return math.ceil(max(exact_up_to, math.sqrt(exact_up_to / width * depth * vectors)))


@dataclass(frozen=True)
class Scope:
    """The SQL of the records that are searched, and its parameters, whose names begin with `scope_`."""

    sql: str
    params: Mapping[str, Any]

    @classmethod
    def of(cls, records: QuerySet[Record]) -> Scope:
        """Return that of `records`."""
        try:
            sql, params = records.order_by().values(*_COLUMNS).query.sql_with_params()
        except EmptyResultSet:  # an anonymous user: Django knows without a query that no row is visible
            return cls(_NOTHING, {})
        names = [f"scope_{number}" for number in range(len(params))]
        return cls(sql % tuple(f"%({name})s" for name in names), dict(zip(names, params, strict=True)))

    def rows(
        self, select: str, *, explain: bool = False, prepared: bool = False, binary: bool = False, **params: Any
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT from `scope`, or how Postgres would go about it.

        If `prepared`, Postgres keeps the plan: for a SELECT that needs the same one whatever the parameters.
        With `binary` too, its rows come in that form, for many rows without JSON.
        """
        sql = ("EXPLAIN (FORMAT json) " if explain else "") + _ALL.format(self.sql) + select
        database: Any = replica.connection()
        with database.prepared_cursor(binary=binary) if prepared else database.cursor() as cursor:
            cursor.execute(sql, {**self.params, **params})
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


@dataclass(frozen=True)
class Facts:
    """Numbers of rows by the last ANALYZE, or by the building of an index, and the lexemes of a query.

    `records` are those of the whole table, `vectors` those of each indexed collection: 0 if its index does not exist or
    is not counted yet. `lexemes` maps each lexeme to its tsquery. `corpus` is the number of records in scope and their
    average length, if they were counted.
    """

    records: float
    vectors: Mapping[str, float]
    lexemes: Mapping[str, str]
    corpus: tuple[int, float | None] | None = None

    def only(self, collections: Sequence[str], *, by_words: bool) -> Facts:
        """Return those of `collections`, without lexemes unless `by_words`."""
        vectors = {name: self.vectors[name] for name in collections}
        return replace(self, vectors=vectors, lexemes=self.lexemes if by_words else {})


@dataclass(frozen=True)
class Estimates:
    """The planner's estimates for a scope: all records, those that match each tsquery, those of each collection."""

    records: int
    texts: Mapping[str, int]
    collections: Mapping[str, int]


@dataclass(frozen=True)
class WordsPlan:
    """How a large scope is searched by words.

    Texts that match the tsquery `rare` are ranked, and those that match `together`, "" if there are none but rare
    words. `records` is the estimated size of the scope, and `counts` has the estimated number of texts for each lexeme
    that leads to no texts of its own.
    """

    rare: str
    together: str
    records: int
    counts: Mapping[str, int]


def facts(collections: Sequence[str], terms: Sequence[str]) -> Facts:
    """Return what the catalogue says of the table and of the indexes of `collections`, and the lexemes of `terms`."""
    database: Any = replica.connection()
    with database.prepared_cursor() as cursor:
        cursor.execute(FACTS, facts_parameters(collections, terms))
        return facts_of(collections, cursor.fetchone())


def facts_parameters(collections: Sequence[str], terms: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of FACTS."""
    indexes = [index_name(name) for name in collections]
    return {"table": Record._meta.db_table, "indexes": indexes, "terms": list(terms)}


def facts_of(collections: Sequence[str], row: Sequence[Any]) -> Facts:
    """Return the facts of a row of FACTS."""
    records, vectors, lexemes = row
    return Facts(records, dict(zip(collections, vectors, strict=True)), {lexeme: _quoted(lexeme) for lexeme in lexemes})


def estimates(scope: Scope, quoted: Sequence[str], collections: Sequence[str]) -> Estimates:
    """Return how many records the planner expects in `scope`, with each tsquery, and of each of `collections`.

    Costs one query that reads no rows. Each part has a limit, so that no parallel plan divides its number by that of
    the workers.
    """
    words: dict[str, Any] = {f"word_{number}": word for number, word in enumerate(quoted)}
    names: dict[str, Any] = {f"name_{number}": name for number, name in enumerate(collections)}
    conditions = ["", *(_HAS_WORD.format(name) for name in words), *(_IS_IN.format(name) for name in names)]
    parts = " UNION ALL ".join(_PART.format(condition=condition) for condition in conditions)
    (((explained,),),) = scope.rows(parts, explain=True, **words, **names)
    plan = explained["Plan"]
    members = [part for part in plan.get("Plans", []) if part["Parent Relationship"] == "Member"] or [plan]
    in_scope, *counts = [int(part["Plan Rows"]) for part in members]
    return Estimates(
        in_scope,
        dict(zip(quoted, counts, strict=False)),
        dict(zip(collections, counts[len(quoted) :], strict=True)),
    )


def words_plan(quoted: Mapping[str, str], estimated: Estimates | None) -> WordsPlan | None:
    """Return the plan for a scope of more than COUNT_UP_TO records, by Postgres' estimates, None for a smaller one.

    `quoted` are the lexemes of the query, each with its tsquery, and `estimated` has their counts.
    """
    if estimated is None or not quoted or estimated.records <= COUNT_UP_TO:
        return None
    by_count = sorted((estimated.texts[word], lexeme) for lexeme, word in quoted.items())
    leading = max(sum(total <= WORD_ROWS for total in accumulate(count for count, _ in by_count)), 1)
    rare = [quoted[lexeme] for _, lexeme in by_count[:leading]]
    frequent = {lexeme: count for count, lexeme in by_count[leading:]}
    together = " & ".join(quoted[lexeme] for lexeme in frequent) if len(frequent) > 1 else ""
    return WordsPlan(" | ".join(rare), together, records=estimated.records, counts=frequent)


def has_words(scope: Scope, terms: Sequence[str]) -> bool:
    """Return whether a text of `scope` has one of `terms`; stops at the first."""
    quoted = facts([], terms).lexemes.values()
    return bool(quoted) and bool(scope.rows(_ANY, words=" | ".join(quoted))[0][0])


def has_more(scope: Scope, collection: str, least: int) -> bool:
    """Return whether more than `least` records of `scope` are in `collection`; counts no further."""
    ((count,),) = scope.rows(_COUNT, name=collection, most=least + 1)
    return bool(count > least)


def _quoted(lexeme: str) -> str:
    """Return `lexeme` as a tsquery has it."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
