from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import QuerySet

from memoryserver.accounts.models import User
from memoryserver.search import engine
from memoryserver.search.engine import QueryVector
from memoryserver.vectors import indexes, jobs
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.reembedding import reembed
from tests.memoryserver.vectors.plane import Other

ROWS, CLUSTERS, QUESTIONS = 100_000, 997, 20
DIMENSION = 16


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes an index from 50,000 records on takes one from 10 on."""
    monkeypatch.setattr(indexes, "EXACT_UP_TO", 10)
    monkeypatch.setattr(engine, "EXACT_UP_TO", 10)


@pytest.fixture(autouse=True)
def no_index_is_left(transactional_db: None) -> Iterator[None]:
    """Indexes are no rows: the database is not emptied of them."""
    yield
    with connection.cursor() as cursor:
        for name in all_indexes(valid=None):
            cursor.execute(f"DROP INDEX {name}")


def fill(owner: User, rows: int, name: str = "things") -> Collection:
    """`rows` vectors about 997 centres, made by the database; which have which share has nothing to do with those."""
    collection = Collection.objects.create(name=name, model="made", dimension=DIMENSION)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(
            """
            WITH centre AS MATERIALIZED (
                SELECT c, array_agg(random() - 0.5) AS at
                FROM generate_series(1, %(clusters)s) AS c, generate_series(1, %(dimension)s) GROUP BY c
            )
            INSERT INTO vectors_record
                (collection, key, text, payload, created_at, embedding, embedded_as, terms, user_id)
            SELECT %(name)s, 'k' || n, 'text', jsonb_build_object('share', CASE
                WHEN n %% 100 = 0 THEN 1 WHEN n %% 10 = 1 THEN 10 ELSE 100 END), now(),
                (SELECT array_agg(x + (random() - 0.5) * 0.6) FROM unnest(at) AS x)::vector, '', 'text', %(owner)s
            FROM generate_series(1, %(rows)s) AS n JOIN centre ON c = 1 + n * 7919 %% %(clusters)s
            """,
            {"name": name, "rows": rows, "owner": owner.pk, "clusters": CLUSTERS, "dimension": DIMENSION},
        )
        cursor.execute("ANALYZE vectors_record")
    return collection


def all_indexes(*, valid: bool | None = True) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexrelid::regclass::text, indisvalid FROM pg_index")
        return {
            name
            for name, is_valid in cursor.fetchall()
            if name.startswith("record_hnsw_") and valid in (None, is_valid)
        }


def test_by_index_nearly_everything_is_found_that_is_nearest_under_each_filter(
    small_limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In 100,000 records, by an index of half the usual quality, which is built in a third of the time."""
    monkeypatch.setattr(indexes, "LINKS", 8)
    monkeypatch.setattr(indexes, "BUILD_WIDTH", 32)
    indexes.build(fill(User.objects.create(username="owner"), ROWS))
    asked = [record.embedding for record in Record.objects.order_by("pk")[5 : 5 + QUESTIONS]]
    recall = {}
    for share in (1, 10, 100):
        scope = Record.objects.filter(collection="things")
        if share < 100:
            scope = scope.filter(payload__contains={"share": share})
        exact = [nearest(scope, vector, indexed=False) for vector in asked]
        with planner_without("bitmapscan", "seqscan", "sort"):  # else it orders a small part by looking at each
            assert "record_hnsw_things" in plan(scope, asked[0], indexed=True)
            quick = [nearest(scope, vector, indexed=True) for vector in asked]
        recall[share] = sum(len(a & b) for a, b in zip(exact, quick, strict=True)) / (10 * QUESTIONS)

    assert {share: found for share, found in recall.items() if found < 0.98} == {}


def meaning_of(vector: Sequence[float], *, indexed: bool) -> QueryVector:
    return QueryVector(list(vector), "made", ["things"], ["things"] if indexed else [])


def nearest(scope: QuerySet[Record], vector: Sequence[float], *, indexed: bool) -> set[int]:
    """The ten that a search by meaning puts first."""
    ranked = engine.rank(scope, "", meaning_of(vector, indexed=indexed), by_words=False)
    assert len(ranked) >= 10
    return {row.record_id for row in ranked[:10]}


def plan(scope: QuerySet[Record], vector: Sequence[float], *, indexed: bool) -> str:
    """How Postgres goes about it."""
    sql, params = engine._statement(scope, "", meaning_of(vector, indexed=indexed), False)
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


def test_where_all_is_ranked_by_index_nothing_is_ranked_exactly(small_limits: None) -> None:
    indexes.build(fill(User.objects.create(username="owner"), 30))
    scope = Record.objects.filter(collection="things")

    by = {
        indexed: engine._statement(scope, "", meaning_of([1.0] * DIMENSION, indexed=indexed), False)[0].count("<=>")
        for indexed in (True, False)
    }

    assert by == {True: 2, False: 1}  # by index, and then in order by the vectors themselves


def test_job_builds_the_index_of_what_has_grown_and_only_once(small_limits: None) -> None:
    owner = User.objects.create(username="owner")
    fill(owner, 11, "large")
    fill(owner, 10, "small")

    assert [jobs.index_grown(), jobs.index_grown()] == [1, 0]
    assert all_indexes() == {"record_hnsw_large"}


def test_job_leaves_what_takes_too_long_to_the_command_and_says_so(
    small_limits: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(User.objects.create(username="owner"), 30)
    monkeypatch.setattr(jobs, "MAX_RECORDS_PER_JOB", 20)

    assert jobs.index_grown() == 0
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "collection too large to be indexed by a job; run: manage.py index_vectors"
    ]

    call_command("index_vectors")
    assert all_indexes() == {"record_hnsw_things"}


def test_index_that_a_crash_left_half_built_is_built_anew(small_limits: None) -> None:
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
