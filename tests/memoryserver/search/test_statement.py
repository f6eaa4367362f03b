"""The statement's parts as Postgres evaluates them: weights, and a collection that has another model by now."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.search import statement
from memoryserver.vectors.models import Collection
from tests.memoryserver.search.notes import put
from tests.support.embedder import WordEmbedder

SCOPE = "SELECT * FROM vectors_record WHERE collection = 'notes_a'"


def value(expression: str, row: str, **parameters: Any) -> float:
    """The value of a weight; `row` has the columns of a ranking."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT ({expression})::float8 FROM {row}", parameters)
        (result,) = cursor.fetchone()
    return float(result)


def near(sql: str, **parameters: Any) -> list[float]:
    with connection.cursor() as cursor:
        cursor.execute(f"WITH scope AS ({SCOPE}) {sql}", parameters)
        return [round(distance, 3) for *_, distance in cursor.fetchall()]


@pytest.mark.parametrize(
    ("distance", "nearest", "weight"),
    [(0.0, 0.0, 1.0), (0.6, 0.2, 0.5), (1.0, 0.2, 0.0), (1.0, 1.0, 0.0), (2.0, 1.5, 0.0)],
    ids=["equal", "half as near", "unrelated", "nothing near", "opposite"],
)
def test_cosine_is_relative_to_the_nearest_and_never_negative(
    db: None, distance: float, nearest: float, weight: float
) -> None:
    row = f"(SELECT {distance}::float8 AS distance, {nearest}::float8 AS nearest) AS semantic"

    assert value(statement.COSINE, row) == pytest.approx(weight)


@pytest.mark.parametrize(("share", "weight"), [(0.0, 0.0), (0.2, 0.0), (0.6, 0.5), (1.0, 1.0)])
def test_evidence_begins_at_its_floor(db: None, share: float, weight: float) -> None:
    row = f"(SELECT {share}::float8 AS share) AS lexical"

    assert value(statement.EVIDENCE, row, evidence_floor=0.2) == pytest.approx(weight)


def test_single_ranking_is_not_weighted(db: None) -> None:
    assert value(statement.UNWEIGHTED, "(SELECT 1) AS one") == 1.0


@pytest.mark.parametrize(
    ("changes", "distances"),
    [({}, [0.0, 1.0]), ({"model": "another"}, []), ({"dimension": 3}, [])],
    ids=["its model", "another model", "another dimension"],
)
def test_only_collections_of_the_querys_model_are_ranked_exactly(
    alice: User, changes: dict[str, Any], distances: list[float]
) -> None:
    put(alice, "near", "payment")
    put(alice, "far", "zebra")
    Collection.objects.update(**changes)
    parameters = {
        "vector": str(WordEmbedder().embed("payment")),
        "exact": ["notes_a"],
        "model": "words-64",
        "dimension": 64,
        "axes": 1,
        "candidates": 10,
    }

    assert near(statement.NEAR_EXACTLY, **parameters) == distances


def test_search_by_words_alone_ranks_nothing_by_meaning(alice: User) -> None:
    put(alice, "near", "payment")

    assert near(statement.NEAR_NOTHING) == []
