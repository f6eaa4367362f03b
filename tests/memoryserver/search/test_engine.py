"""The statement's two rankings and their fusion, against the same in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.search import engine, plan
from memoryserver.search.engine import K1, B, QueryVector, Ranked
from memoryserver.search.plan import Scope
from memoryserver.vectors.models import Collection, Record, TokenCodes
from memoryserver.vectors.store import Item, PgVectorStore
from tests.memoryserver.search.notes import BORN

# Words that the stemmer leaves alone, from very frequent to rare.
VOCABULARY = [f"w{letter}{number}" for letter in "abcdef" for number in range(6)]
SCOPE = Scope.of(Record.objects.filter(collection="notes_a"))


def corpus(chance: random.Random, size: int) -> dict[str, list[str]]:
    """Texts of 1 to 60 words, the first words of the vocabulary in most of them, some many times in one."""
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    return {f"k{number}": chance.choices(VOCABULARY, weights, k=chance.randint(1, 60)) for number in range(size)}


def bm25(texts: dict[str, list[str]], query: list[str]) -> dict[str, float]:
    """By the book: rarity ln(1 + (N - n + 0.5) / (n + 0.5)), k1 and b."""
    usual = sum(map(len, texts.values())) / len(texts)
    scores: dict[str, float] = {}
    for word in set(query):
        holding = {key: Counter(text)[word] for key, text in texts.items() if word in text}
        rarity = math.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
        for key, often in holding.items():
            saturated = often * (K1 + 1) / (often + K1 * (1 - B + B * len(texts[key]) / usual))
            scores[key] = scores.get(key, 0.0) + rarity * saturated
    return scores


def fill(user: User, texts: dict[str, list[str]], vectors: dict[str, list[float]] | None = None) -> None:
    store = PgVectorStore(user)
    store.ensure_collection("notes_a", model="plane", dimension=2)
    store.upsert(
        "notes_a",
        [Item(key, " ".join(text), BORN, vector=(vectors or {}).get(key)) for key, text in texts.items()],
    )


def keys(ranked: list[Ranked]) -> list[str]:
    found = Record.objects.in_bulk([row.record_id for row in ranked])
    return [found[row.record_id].key for row in ranked]


@pytest.mark.parametrize("seed", range(12))
def test_ranking_by_words_is_that_of_bm25_rank_for_rank(seed: int, alice: User) -> None:
    chance = random.Random(seed)
    texts = corpus(chance, chance.choice([1, 7, 60, 190]))
    fill(alice, texts)
    for _ in range(4):
        query = chance.choices([*VOCABULARY, "wunknown"], k=chance.randint(1, 8))
        scores = bm25(texts, query)

        ranked = engine.rank(SCOPE, " ".join(query), None, by_words=True)

        found = keys(ranked)
        assert sorted(found) == sorted(scores)
        assert [scores[key] for key in found] == pytest.approx(sorted(scores.values(), reverse=True), rel=1e-5)
        assert [row.lexical_rank for row in ranked] == list(range(1, len(found) + 1))


def test_word_that_occurs_often_is_counted_exactly(alice: User) -> None:
    texts = {f"k{often:03}": ["wa0"] * often + ["wb1"] * (260 - often) for often in range(1, 250, 3)}
    fill(alice, texts)

    ranked = engine.rank(SCOPE, "wa0", None, by_words=True)

    assert keys(ranked) == sorted(texts, reverse=True)


def test_hybrid_weighs_each_rank_by_its_evidence(alice: User) -> None:
    texts = {"both": ["wa0", "wa1", "wa2"], "words": ["wa0", "wa1", "wa2", "wa3"], "some": ["wa0"], "none": ["wb0"]}
    vectors = {"both": [0.8, 0.6], "words": [-1.0, 0.0], "some": [0.6, 0.8], "none": [1.0, 0.0]}
    fill(alice, texts, vectors)
    query = ["wa0", "wa1", "wa2"]
    rarity = {word: math.log(1 + (4 - n + 0.5) / (n + 0.5)) for word, n in (("wa0", 3), ("wa1", 2), ("wa2", 2))}
    fused, floor = engine.FUSION, engine.EVIDENCE_FLOOR
    little = max((rarity["wa0"] / sum(rarity.values()) - floor) / (1 - floor), 0)

    ranked = engine.rank(SCOPE, " ".join(query), QueryVector([1.0, 0.0], "plane", ["notes_a"]), by_words=True)

    assert dict(zip(keys(ranked), [row.score for row in ranked], strict=True)) == pytest.approx(
        {
            "both": 0.8 / (fused + 2) + 1 / (fused + 1),
            "none": 1 / (fused + 1),
            "words": 1 / (fused + 2),
            "some": 0.6 / (fused + 3) + little / (fused + 3),
        }
    )
    assert [(row.semantic_rank, row.lexical_rank) for row in ranked] == [(2, 1), (1, None), (4, 2), (3, 3)]


def test_cosine_counts_by_that_of_the_nearest(alice: User) -> None:
    fill(alice, {"near": ["wb0"], "far": ["wb1"]}, {"near": [0.6, 0.8], "far": [0.3, math.sqrt(0.91)]})

    ranked = engine.rank(SCOPE, "wa0", QueryVector([1.0, 0.0], "plane", ["notes_a"]), by_words=True)

    assert [row.score for row in ranked] == pytest.approx([1 / (engine.FUSION + 1), 0.5 / (engine.FUSION + 2)])


def test_nothing_on_the_side_of_the_question_scores_nothing_by_meaning(alice: User) -> None:
    fill(alice, {"across": ["wb0"], "away": ["wb1"]}, {"across": [0.0, 1.0], "away": [-1.0, 0.0]})

    ranked = engine.rank(SCOPE, "wa0", QueryVector([1.0, 0.0], "plane", ["notes_a"]), by_words=True)

    assert [row.score for row in ranked] == [0.0, 0.0]


def test_word_that_no_text_has_is_asked_for_at_less_than_its_rarity(alice: User) -> None:
    fill(alice, {"one": ["wa0"], "other": ["wb0"]})
    half, nobody = math.log(1 + 1.5 / 1.5), math.log(1 + 2.5 / 0.5)
    share = half / (half + engine.MISSING_TERM_WEIGHT * nobody)
    evidence = max((share - engine.EVIDENCE_FLOOR) / (1 - engine.EVIDENCE_FLOOR), 0)

    ranked = engine.rank(SCOPE, "wa0 wunknown", QueryVector([1.0, 0.0], "plane", ["notes_a"]), by_words=True)

    assert [row.score for row in ranked] == pytest.approx([evidence / (engine.FUSION + 1)])


def test_collection_of_another_model_is_not_compared_with_the_question(alice: User) -> None:
    fill(alice, {"one": ["wa0"]}, {"one": [1.0, 0.0]})
    meaning = QueryVector([1.0, 0.0, 0.0], "plane", ["notes_a"])
    Collection.objects.update(model="solid")  # switched since the search looked

    assert engine.rank(SCOPE, "nothing", meaning, by_words=True) == []


def test_depth_of_a_ranking_ends_at_two_hundred(alice: User) -> None:
    fill(alice, {f"k{number:03}": ["wa0"] for number in range(230)})

    assert len(engine.rank(SCOPE, "wa0", None, by_words=True)) == 200


def test_corpus_that_was_counted_before_ranks_as_one_that_the_statement_counts(alice: User) -> None:
    texts = corpus(random.Random(4), 30)
    fill(alice, texts)
    records, length = len(texts), sum(map(len, texts.values())) / len(texts)
    facts = plan.facts([], ["wa0", "wb1"])

    counted, given, other = (
        engine.rank(SCOPE, "wa0 wb1", None, replace(facts, corpus=known), by_words=True)
        for known in (None, (records, length), (10 * records, length))
    )

    assert counted == given
    assert counted != other


@pytest.mark.parametrize("filtered", [False, True])
def test_first_results_have_their_token_codes_if_asked_for(alice: User, filtered: bool) -> None:
    fill(alice, {"one": ["wa0"], "two": ["wa0", "wa1"], "three": ["wa0", "wa1", "wa2"]})
    TokenCodes.objects.bulk_create(
        TokenCodes(record=row, codes=row.key.encode()) for row in Record.objects.exclude(key="two")
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE vectors_record")

    def codes(count: int, collection: str = "notes_a") -> list[bytes | None]:
        vector = QueryVector([1.0, 0.0], "plane", [collection])
        rows = engine.rank(SCOPE, "wa0", vector, by_words=True, filtered=filtered, with_codes=count)
        assert [row.key for row in rows] == ["one", "two", "three"]
        return [row.codes for row in rows]

    assert codes(2) == [b"one", None, None]
    assert codes(50) == [b"one", None, b"three"]
    assert codes(0) == [None] * 3
    assert codes(50, "notes_b") == [None] * 3  # those of another model cannot be compared


def test_plan_that_postgres_keeps_for_a_small_table_ranks_as_a_fresh_one(alice: User) -> None:
    chance = random.Random(3)
    texts = corpus(chance, 60)
    fill(alice, texts, {key: [chance.random(), chance.random()] for key in texts})
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
        cursor.execute("ANALYZE vectors_record")

    for _ in range(8):  # Postgres makes a plan for all parameters after five uses
        query = " ".join(chance.choices(VOCABULARY, k=3))
        meaning = QueryVector([chance.random(), chance.random()], "plane", ["notes_a"])
        kept, fresh = (engine.rank(SCOPE, query, meaning, by_words=True, filtered=each) for each in (False, True))
        assert kept == fresh

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), sum(generic_plans + custom_plans) FROM pg_prepared_statements "
            "WHERE statement LIKE '%weighted_term%'"
        )
        assert cursor.fetchone() == (1, 7)  # the first use is not prepared
