from __future__ import annotations

from collections.abc import Sequence

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import Embedding
from memoryserver.search.engine import QueryVector, Ranked
from memoryserver.search.rescoring import tokens
from memoryserver.search.service import Search, search
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import put
from tests.support.embedder import TokenEmbedder, WordEmbedder

pytestmark = pytest.mark.usefixtures("notes")

MODEL = TokenEmbedder()


def asked(*wordings: str) -> QueryVector:
    vectors = [vector for vector in map(MODEL.embed, wordings) if isinstance(vector, Embedding)]
    return QueryVector(vectors[0], MODEL.model_name, ["notes_a"], tokens=[vector.tokens for vector in vectors])


def ranked(user: User, *texts: str, without: Sequence[str] = ()) -> list[Ranked]:
    """Stored texts, each a little worse than the one before, with their codes but for the keys `without`."""
    for number, text in enumerate(texts):
        put(user, f"k{number}", text, embedder=MODEL)
    rows = Record.objects.order_by("key").select_related("token_codes")
    scores = [0.01 - 0.0001 * number for number in range(len(texts))]
    known = [Ranked(row.pk, user.pk, row.collection, row.key, row.terms, 0.0, 1, None) for row in rows]
    return [
        each._replace(score=score, codes=None if each.key in without else bytes(row.token_codes.codes))
        for each, row, score in zip(known, rows, scores, strict=True)
    ]


def keys(rows: list[Ranked]) -> list[str]:
    return [row.key for row in rows]


def test_text_with_more_of_the_querys_tokens_comes_first(alice: User) -> None:
    rows = ranked(alice, "red green blue", "red yellow", "one two three")

    assert keys(tokens.ordered(rows, asked("red yellow"))) == ["k1", "k0", "k2"]


def test_tokens_of_all_wordings_count(alice: User) -> None:
    rows = ranked(alice, "alpha beta", "gamma delta")

    assert keys(tokens.ordered(rows, asked("gamma delta"))) == ["k1", "k0"]
    assert keys(tokens.ordered(rows, asked("gamma delta", "alpha beta"))) == ["k0", "k1"]


def test_only_the_first_results_are_looked_at(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "DEPTH", 2)
    rows = ranked(alice, "alpha", "beta", "gamma")

    found = tokens.ordered(rows, asked("gamma beta"))

    assert keys(found) == ["k1", "k0", "k2"]
    assert found[2] == rows[2]


@pytest.mark.parametrize(("without", "order"), [(["k0"], ["k2", "k0", "k1"]), (["k0", "k1"], ["k0", "k1", "k2"])])
def test_text_without_codes_is_in_the_middle_and_many_without_change_nothing(
    alice: User, without: list[str], order: list[str]
) -> None:
    rows = ranked(alice, "gamma", "beta", "gamma delta", without=without)

    assert keys(tokens.ordered(rows, asked("gamma delta"))) == order


def test_query_without_tokens_and_no_results_change_nothing(alice: User) -> None:
    rows = ranked(alice, "alpha", "beta")
    plain = QueryVector(MODEL.embed("beta"), MODEL.model_name, ["notes_a"])

    assert tokens.ordered(rows, plain) == rows
    assert tokens.ordered([], asked("beta")) == []


@pytest.mark.parametrize(("model", "phases"), [(TokenEmbedder, {"tokens"}), (WordEmbedder, set())])
def test_hybrid_search_compares_tokens_where_the_model_tells_them(
    alice: User, monkeypatch: pytest.MonkeyPatch, model: type[WordEmbedder], phases: set[str]
) -> None:
    monkeypatch.setattr(embedding, "service", model)
    monkeypatch.setattr(embedding, "ready_service", model)
    put(alice, "one", "the payment worker holds the lock", embedder=model())

    answer = search(alice, Search("which worker holds the lock", source="notes"))

    assert [hit.key for hit in answer.hits] == ["one"]
    assert answer.timing.keys() - {"embed", "model", "rank", "rest"} == phases
    assert "tokens" not in search(alice, Search("worker lock", source="notes", mode="semantic")).timing


def test_codes_of_another_model_are_not_compared(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    class Half(TokenEmbedder):
        model_name = "half"
        dimension = 32

        def embed(self, text: str) -> Embedding:
            vector = super().embed(text)
            assert isinstance(vector, Embedding)
            return Embedding(list(vector)[:32], codes=vector.codes[:4], tokens=vector.tokens)

    monkeypatch.setattr(embedding, "service", TokenEmbedder)
    monkeypatch.setattr(embedding, "ready_service", TokenEmbedder)
    put(alice, "one", "the worker holds the lock", embedder=MODEL)
    put(alice, "two", "the worker holds the lock as well", collection="notes_b", embedder=Half())

    answer = search(alice, Search("which worker holds the lock", source="notes"))

    assert [hit.key for hit in answer.hits] == ["one", "two"]
