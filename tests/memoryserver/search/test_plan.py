"""How a large scope is searched; the limits are set so low that 200 texts are many."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.search import engine, plan
from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import WordsPlan, smallest_for_index
from memoryserver.vectors.models import Record
from memoryserver.vectors.store import Item, PgVectorStore
from tests.memoryserver.search.notes import BORN

RECORDS = Record.objects.filter(collection="notes_a")
SCOPE = plan.Scope.of(RECORDS)
TEXTS = 200


@pytest.fixture
def many(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts have `walm`, every second one `wbirch`, every fourth `wcedar`, and three `wyew`."""
    monkeypatch.setattr(plan, "COUNT_UP_TO", TEXTS - 1)
    monkeypatch.setattr(plan, "WORD_ROWS", 10)
    store = PgVectorStore(alice)
    store.ensure_collection("notes_a", model="plane", dimension=2)
    items = [Item(f"k{number}", text(number), BORN, vector=[1.0, number / TEXTS]) for number in range(TEXTS)]
    store.upsert("notes_a", items)
    analyse()


def text(number: int) -> str:
    words = {1: "walm", 2: "wbirch", 4: "wcedar", 70: "wyew"}
    return " ".join(word for every, word in words.items() if number % every == 0)


def analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE vectors_record")


def words_plan(scope: plan.Scope, words: Sequence[str]) -> WordsPlan | None:
    lexemes = plan.facts([], words).lexemes
    return plan.words_plan(lexemes, plan.estimates(scope, list(lexemes.values()), []))


def found(query: str, *, vector: list[float] | None = None) -> set[str]:
    meaning = QueryVector(vector, "plane", ["notes_a"]) if vector else None
    ranked = engine.rank(SCOPE, query, meaning, by_words=True)
    return set(Record.objects.filter(pk__in=[row.record_id for row in ranked]).values_list("key", flat=True))


@pytest.mark.parametrize(
    ("vectors", "rows"),
    [(1_000, 10_000), (10_000, 10_000), (100_000, 22_361), (1_000_000, 70_711), (10_000_000, 223_607)],
)
def test_index_needs_the_broader_a_scope_the_larger_the_collection_is(vectors: int, rows: int) -> None:
    assert smallest_for_index(vectors, exact_up_to=10_000, width=400, depth=200) == rows


def test_words_of_a_small_table_need_no_plan(alice: User) -> None:
    assert words_plan(SCOPE, ["walm"]) is None


def test_words_of_a_small_scope_of_a_large_table_need_no_plan(many: None) -> None:
    assert words_plan(plan.Scope.of(RECORDS.filter(key="k1")), ["walm", "wyew"]) is None


def test_rare_words_lead_to_texts_and_frequent_ones_only_together(many: None) -> None:
    assert words_plan(SCOPE, ["walm", "wbirch", "wcedar", "wyew"]) == WordsPlan(
        rare="'wyew'",
        together="'wcedar' & 'wbirch' & 'walm'",
        records=TEXTS,
        counts={"wcedar": 50, "wbirch": 100, "walm": 200},
    )


def test_rarest_word_leads_to_texts_even_if_it_is_frequent(many: None) -> None:
    assert words_plan(SCOPE, ["walm", "wbirch"]) == WordsPlan("'wbirch'", "", TEXTS, {"walm": 200})


def test_all_words_lead_to_texts_if_these_are_few_together(many: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "WORD_ROWS", 60)

    assert words_plan(SCOPE, ["wyew", "wcedar"]) == WordsPlan("'wyew' | 'wcedar'", "", TEXTS, {})


def test_question_without_words_needs_no_plan(many: None) -> None:
    assert words_plan(SCOPE, ["the", "of"]) is None


def test_planned_ranking_is_the_whole_one_if_all_words_lead_to_texts(
    many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "WORD_ROWS", TEXTS)
    planned = engine.rank(SCOPE, "wyew wcedar", None, by_words=True)
    monkeypatch.setattr(plan, "COUNT_UP_TO", TEXTS)

    assert planned == engine.rank(SCOPE, "wyew wcedar", None, by_words=True)
    assert len(planned) == 51


def test_frequent_words_are_found_where_they_are_together_and_beside_a_rare_one(many: None) -> None:
    """`wyew` leads to k0, k70 and k140, the others together to each fourth text, of which 20 are read, in any order."""
    keys = found("wyew walm wbirch wcedar")

    assert (len(keys), {"k0", "k70", "k140"} - keys) == (23, set())
    assert keys - {"k70"} <= {f"k{number}" for number in range(0, TEXTS, 4)}


def test_frequent_word_counts_in_a_text_that_is_near_by_meaning(many: None) -> None:
    """k2 has two of the words and no rare one, so that it is reached by meaning alone."""
    ranked = engine.rank(SCOPE, "wyew wbirch walm", QueryVector([1.0, 0.0], "plane", ["notes_a"]), by_words=True)
    near = Record.objects.get(key="k1").pk

    assert [row.words for row in ranked if row.record_id == near] == [["walm"]]


def test_share_of_a_planned_ranking_uses_the_estimated_frequency(many: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def shares() -> dict[int, float]:
        ranked = engine.rank(SCOPE, "wyew walm", None, by_words=True)
        return {row.record_id: round(row.share, 6) for row in ranked if "wyew" in row.words}

    planned = shares()
    monkeypatch.setattr(plan, "COUNT_UP_TO", TEXTS)

    assert planned == shares()
