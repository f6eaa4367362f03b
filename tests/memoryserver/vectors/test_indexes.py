from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from memoryserver.accounts.models import User
from memoryserver.search import engine
from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import Scope, facts
from memoryserver.vectors import indexes, jobs
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.reembedding import reembed
from tests.memoryserver.vectors.made import DIMENSION, all_indexes, fill
from tests.memoryserver.vectors.plane import Other

pytestmark = pytest.mark.usefixtures("no_index_is_left")

ROWS, QUESTIONS = 40_000, 100


def test_by_index_nearly_everything_is_found_that_is_nearest_under_each_filter(
    small_limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In 40,000 records that are hard to tell apart, by an index of half the usual quality, which is built sooner."""
    monkeypatch.setattr(indexes, "LINKS", 8)
    monkeypatch.setattr(indexes, "BUILD_WIDTH", 32)
    indexes.build(fill(User.objects.create(username="owner"), ROWS, dimension=32, spread=1.4))
    things = Record.objects.filter(collection="things")
    asked = [record.embedding for record in things.order_by("pk")[5 : 5 + QUESTIONS]]

    recall = {share: recall_of(things.filter(payload__contains={"share": share}), asked) for share in (2, 10)}
    recall[100] = recall_of(things, asked)
    assert {share: found for share, found in recall.items() if found < 0.98} == {}

    monkeypatch.setattr(engine, "_LARGEST_WIDTH", 200)
    assert recall_of(things, asked) < recall[100]


def recall_of(scope: QuerySet[Record], asked: Sequence[Sequence[float]]) -> float:
    """The share of the ten nearest of each vector that a search by the index finds."""
    exact = [nearest(scope, vector, indexed=False) for vector in asked]
    with planner_without("bitmapscan", "seqscan", "sort"):  # else it orders a small part by looking at each
        assert "record_hnsw_things" in plan(scope, asked[0], indexed=True)
        quick = [nearest(scope, vector, indexed=True) for vector in asked]
    return sum(len(a & b) for a, b in zip(exact, quick, strict=True)) / (10 * len(asked))


def meaning_of(vector: Sequence[float], *, indexed: bool) -> QueryVector:
    return QueryVector(list(vector), "made", ["things"], ["things"] if indexed else [])


def nearest(scope: QuerySet[Record], vector: Sequence[float], *, indexed: bool) -> set[int]:
    """The ten that a search by meaning puts first."""
    ranked = engine.rank(Scope.of(scope), "", meaning_of(vector, indexed=indexed), by_words=False)
    assert len(ranked) >= 10
    return {row.record_id for row in ranked[:10]}


def statement(scope: QuerySet[Record], vector: Sequence[float], *, indexed: bool) -> tuple[str, dict[str, Any]]:
    meaning = meaning_of(vector, indexed=indexed)
    return engine._statement(Scope.of(scope), [], meaning, facts(meaning.indexed, []), by_words=False)


def plan(scope: QuerySet[Record], vector: Sequence[float], *, indexed: bool) -> str:
    """How Postgres goes about it."""
    sql, params = statement(scope, vector, indexed=indexed)
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + sql, params)
        return "\n".join(line for (line,) in cursor.fetchall())


@contextmanager
def planner_without(*ways: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        for way in ways:
            cursor.execute(f"SET enable_{way} = off")
        yield
        for way in ways:
            cursor.execute(f"RESET enable_{way}")


def test_search_of_a_large_scope_uses_the_index_and_of_a_small_one_does_not(small_limits: None) -> None:
    owner = User.objects.create(username="owner")
    indexes.build(fill(owner, 3000))
    large, small = Record.objects.filter(collection="things"), Record.objects.filter(collection="things", key="k1")

    plans = [plan(scope, [1.0] * DIMENSION, indexed=True) for scope in (large, small)]

    assert ["record_hnsw_things" in found for found in plans] == [True, False]


@pytest.mark.parametrize(("vectors", "width"), [(0, 400), (200_000, 400), (1_000_000, 894), (10_000_000, 1_000)])
def test_search_of_a_larger_index_passes_more_vectors(vectors: int, width: int) -> None:
    assert engine._width(vectors) == width


def test_where_all_is_ranked_by_index_nothing_is_ranked_exactly(small_limits: None) -> None:
    indexes.build(fill(User.objects.create(username="owner"), 30))
    scope = Record.objects.filter(collection="things")

    by = {indexed: statement(scope, [1.0] * DIMENSION, indexed=indexed)[0].count("<=>") for indexed in (True, False)}

    assert by == {True: 2, False: 1}  # by index, and then in order by the vectors themselves


def test_index_that_a_crash_left_half_built_is_built_again(small_limits: None) -> None:
    collection = fill(User.objects.create(username="owner"), 30)
    indexes.build(collection)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'record_hnsw_things'::regclass")
    Collection.objects.update(indexed_at=None)

    assert jobs.index_grown() == 1
    assert all_indexes() == {"record_hnsw_things"}


def test_moving_to_another_model_takes_out_the_index_of_the_old(small_limits: None) -> None:
    indexes.build(fill(User.objects.create(username="owner"), 30))

    reembed(Other())

    assert all_indexes() == set()
    assert [collection.name for collection in indexes.collections_to_index()] == ["things"]
