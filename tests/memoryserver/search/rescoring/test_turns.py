"""The order of turns of which the ones beside them decide."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import Embedding
from memoryserver.search import engine
from memoryserver.search.engine import FUSION, QueryVector, Ranked
from memoryserver.search.plan import Scope
from memoryserver.search.rescoring import tokens, turns
from memoryserver.search.scope import Search, scope_of
from memoryserver.search.service import search
from memoryserver.vectors.models import Record, TokenCodes
from tests.memoryserver.search.notes import BORN, put
from tests.support.embedder import TokenEmbedder, WordEmbedder

pytestmark = pytest.mark.usefixtures("notes")

MODEL = TokenEmbedder()


def talk(user: User, *texts: str, model: WordEmbedder = MODEL) -> list[Ranked]:
    """Stored turns and how a search ranked them: by meaning, in the order in which they were said."""
    for number, text in enumerate(texts):
        put(user, f"{number}", text, born=BORN + timedelta(minutes=number), embedder=model)
    rows = Record.objects.order_by("pk")
    return [
        Ranked(row.pk, user.pk, row.collection, row.key, row.terms, 1 / (FUSION + rank), rank, None)
        for rank, row in enumerate(rows, 1)
    ]


def ordered(user: User, ranked: list[Ranked], query: str, *names: str, model: WordEmbedder = MODEL) -> list[Ranked]:
    asked = model.embed(query)
    known = [asked.tokens] if isinstance(asked, Embedding) else []
    vector = QueryVector(asked, model.model_name, ["notes_a"], tokens=known)
    return turns.ordered(ranked, Scope.of(scope_of(user, Search(query, source="notes"))), query, vector, names)


def keys(rows: list[Ranked]) -> list[str]:
    return [row.key for row in rows]


@pytest.mark.parametrize("model", [MODEL, WordEmbedder()])
def test_answer_behind_the_turn_that_says_what_it_is_about_comes_before_the_same_words_elsewhere(
    alice: User, model: WordEmbedder
) -> None:
    elsewhere = ["Ben: tax was due", "Ana: about three years", "Ben: oh"]
    ranked = talk(alice, *elsewhere, "Ben: sailing boat", "Ana: about three years", "Ben: nice", model=model)

    found = keys(ordered(alice, ranked, "sailing boat years", model=model))

    assert found.index("4") < found.index("1")


def test_turn_by_the_named_speaker_comes_before_one_that_is_as_near(alice: User) -> None:
    ranked = talk(alice, "Ben: sail", "Ana: sail")

    assert keys(ordered(alice, ranked, "sail Ana Ben", "Ana")) == ["1", "0"]
    assert keys(ordered(alice, ranked, "sail Ana Ben", "Ben")) == ["0", "1"]


def test_turn_that_has_what_is_asked_for_and_one_that_does_not_ask_come_first(alice: User) -> None:
    ranked = talk(alice, "Ana: sail?", "Ana: sail", "Ana: sail May")

    assert keys(ordered(alice, ranked, "When sail Ana", "Ana")) == ["2", "1", "0"]


def test_score_is_the_sum_of_its_parts_raised_by_each_sign(alice: User) -> None:
    (row,) = talk(alice, "Ana: sail")

    by_words = row._replace(lexical_rank=3, share=0.65)
    (found,) = ordered(alice, [by_words], "Ana sail", "Ana")

    parts = 1 / (FUSION + 1) + tokens.WEIGHT / (FUSION + 1) + 0.5 / (FUSION + 3)
    assert found.score == pytest.approx(parts * (1 + turns.LIKELIER) ** 2)
    assert found == by_words._replace(score=found.score)


def test_parts_of_a_score_are_those_of_the_ranking(alice: User) -> None:
    talk(alice, "Ana: sail the boat", "Ben: the boat sinks", "Ana: tea", "Ben: a sail")
    vector = QueryVector(MODEL.embed("sail boat"), MODEL.model_name, ["notes_a"])

    rows = engine.rank(Scope.of(Record.objects.all()), "sail boat", vector, by_words=True)

    best = max(row.cosine or 0 for row in rows)
    assert [row.lexical_rank is None for row in rows] == [False, False, False, True]
    for row in rows:
        by_meaning = (row.cosine or 0) / best / (FUSION + (row.semantic_rank or 0))
        assert row.score == pytest.approx(by_meaning + turns._by_words(row))


def test_turns_that_follow_one_of_the_first_results_are_looked_at_and_others_keep_their_score(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "FIRST", 1)
    ranked = talk(alice, *(f"Ana: sail {number}" for number in range(5)))

    found = {row.key: row for row in ordered(alice, ranked, "sail", "Ana")}

    assert [key for key in found if found[key].score == ranked[int(key)].score] == ["3", "4"]


def test_result_without_a_vector_counts_as_a_usual_one(alice: User) -> None:
    ranked = talk(alice, "Ana: boat", "Ana: sail boat", "Ana: cake", "Ana: tea", "Ana: rope")
    Record.objects.filter(key="1").update(embedding=None)
    TokenCodes.objects.filter(record__key="1").delete()

    found = keys(ordered(alice, [row._replace(cosine=None) for row in ranked], "boat", "Ana"))

    assert found[0] == "0"
    assert found.index("1") < 4


def test_result_that_is_gone_is_kept_without_signs(alice: User) -> None:
    ranked = talk(alice, "Ana: sail", "Ana: boat", "Ana: cake")
    Record.objects.filter(key="0").delete()

    found = keys(ordered(alice, ranked, "boat", "Ana"))

    assert sorted(found) == ["0", "1", "2"]
    assert found[0] == "1"


def test_cosine_of_the_ranking_counts_where_an_entry_has_several_vectors(alice: User) -> None:
    ranked = talk(alice, "Ana: cake", "Ana: boat tea")

    best = ordered(alice, [ranked[0]._replace(cosine=0.99), ranked[1]._replace(cosine=0.1)], "sail", "Ana")

    assert keys(best) == ["0", "1"]


def test_nothing_found_stays_nothing(alice: User) -> None:
    talk(alice, "Ana: sail")

    assert ordered(alice, [], "boat", "Ana") == []


def test_hybrid_search_about_a_speaker_looks_at_turns_and_no_other_does(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "service", TokenEmbedder)
    monkeypatch.setattr(embedding, "ready_service", TokenEmbedder)
    talk(alice, "Ben: how is the boat", "Ana: it floats since May", "Ana: so so", "Ana: boat")

    def phases(query: str, **criteria: object) -> set[str]:
        timing = search(alice, Search(query, source="notes", **criteria)).timing  # type: ignore[arg-type]
        return set(timing) & {"tokens", "turns"}

    assert phases("When did the boat of Ana float?") == {"turns"}
    assert phases("when did the boat float") == {"tokens"}
    assert phases("When did the boat of Ana float?", mode="semantic") == set()
    assert phases("When did the boat of Ana float?", mode="lexical") == set()
