from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.embedding import (
    Embedding,
    EmbeddingInterruptedError,
    EmbeddingModelError,
    EmbeddingUnavailableError,
    Vector,
    former,
)
from memoryserver.embedding.former import FormerModels
from memoryserver.search import query_embedding
from memoryserver.search.query_embedding import MODEL_FAILED, MODEL_LOADING, QueryEmbedder, embed_query
from memoryserver.search.service import Search, search
from memoryserver.vectors.models import Collection
from memoryserver.vectors.reembedding import reembed
from tests.memoryserver.search.notes import put, registered
from tests.support.embedder import TokenEmbedder, WordEmbedder


class Counting(WordEmbedder):
    """Counts what it is asked, and does instead what `instead` says."""

    def __init__(self, instead: object = None) -> None:
        self.asked: list[str] = []
        self.instead = instead

    def embed(self, text: str) -> Vector:
        self.asked.append(text)
        if isinstance(self.instead, Exception):
            raise self.instead
        if isinstance(self.instead, threading.Event):
            self.instead.wait(30)
        return self.instead if isinstance(self.instead, list) else super().embed(text)


class Big(WordEmbedder):
    """Another model."""

    model_name = "words-128"
    dimension = 128


class Broken(WordEmbedder):
    """Cannot be loaded."""

    def load(self) -> None:
        raise EmbeddingModelError("no such folder")


@pytest.fixture(autouse=True)
def notes() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture(autouse=True)
def loaded() -> None:
    embedding.load()


def test_question_is_embedded_once() -> None:
    model, embedder = Counting(), QueryEmbedder()

    assert embedder.vectors(model, 1, ["why"]) == embedder.vectors(model, 1, ["why"]) == [WordEmbedder().embed("why")]
    assert model.asked == ["why"]


def test_tokens_are_kept_with_the_vector_and_count_as_its_size() -> None:
    embedder = QueryEmbedder()

    first, again = (embedder.vectors(TokenEmbedder(), 1, ["why"])[0] for _ in range(2))

    assert isinstance(first, Embedding)
    assert isinstance(again, Embedding)
    assert (again, again.tokens) == (first, first.tokens)
    assert embedder._bytes == 64 * 8 + len(first.tokens) + 4 * len("why") + 200


def test_what_one_asked_makes_nobody_elses_search_quicker() -> None:
    model, embedder = Counting(), QueryEmbedder()

    for asker in (1, 2, None):
        embedder.vectors(model, asker, ["why"])

    assert model.asked == ["why"] * 3


def test_another_models_vector_is_not_taken() -> None:
    embedder = QueryEmbedder()
    embedder.vectors(WordEmbedder(), 1, ["why"])

    assert [len(vector) for vector in embedder.vectors(Big(), 1, ["why"])] == [128]


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first() -> None:
    model, embedder = Counting(), QueryEmbedder(cache_bytes=3 * (64 * 8 + 220))
    for query in ("a", "b", "c", "a", "d", "a", "b"):
        embedder.vectors(model, 1, [query])

    assert model.asked == ["a", "b", "c", "d", "b"]
    assert embedder._bytes <= 3 * (64 * 8 + 220)


def test_question_larger_than_the_room_is_answered_and_not_kept() -> None:
    embedder = QueryEmbedder(cache_bytes=1000)

    embedder.vectors(WordEmbedder(), 1, ["x" * 2000])

    assert (len(embedder._cache), embedder._bytes) == (0, 0)


def test_embedder_that_failed_is_left_alone_for_a_while() -> None:
    model, embedder = Counting(EmbeddingModelError("down")), QueryEmbedder(pause=30)
    for query in ("a", "b", "c"):
        with pytest.raises(EmbeddingModelError):
            embedder.vectors(model, 1, [query])

    assert model.asked == ["a"]


def test_embedder_that_failed_is_asked_again_after_the_pause() -> None:
    model, embedder = Counting(EmbeddingModelError("down")), QueryEmbedder(pause=0)
    for query in ("a", "b"):
        with pytest.raises(EmbeddingModelError):
            embedder.vectors(model, 1, [query])

    assert model.asked == ["a", "b"]


def test_question_is_embedded_while_the_caller_does_something_else() -> None:
    model, embedder = Counting(), QueryEmbedder()

    begun = embedder.begin(model, 1, ["why"])
    while not model.asked:
        time.sleep(0.001)

    assert embedder.vectors_of(begun) == [WordEmbedder().embed("why")]


def test_vector_that_was_begun_with_another_model_or_query_is_not_taken(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "ready_service", WordEmbedder)
    begun = [query_embedding.begin("other", alice.pk), query_embedding.embedder.begin(Big(), alice.pk, ["why"]), None]

    vectors = [embed_query(["why"], alice.pk, [], [each]).vector for each in begun]

    assert [vector and vector.vector for vector in vectors] == [WordEmbedder().embed("why")] * 3


def test_embedder_that_hangs_is_not_waited_for() -> None:
    release = threading.Event()
    embedder = QueryEmbedder(deadline=0.05)

    with pytest.raises(EmbeddingModelError, match=r"returned no vector within 0\.05 s"):
        embedder.vectors(Counting(release), 1, ["why"])
    release.set()


@pytest.mark.parametrize("vector", [[], [float("nan")] * 64, [float("inf")] * 64])
def test_vector_that_is_none_is_an_error(vector: Vector) -> None:
    with pytest.raises(EmbeddingModelError, match="empty or not finite"):
        QueryEmbedder().vectors(Counting(vector), 1, ["why"])


@pytest.mark.parametrize("instead", [EmbeddingModelError("down"), [float("nan")] * 64])
def test_search_goes_on_by_words_when_the_embedder_fails(
    instead: object, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alice, "one", "payment worker")
    monkeypatch.setattr(embedding, "ready_service", lambda: Counting(instead))

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, answer.note, [hit.key for hit in answer.hits]) == ("lexical", MODEL_FAILED, ["one"])


@pytest.mark.parametrize("error", [EmbeddingUnavailableError("not there"), EmbeddingInterruptedError("it ended")])
def test_search_goes_on_by_words_while_there_is_nothing_to_embed_with_and_asks_again_at_once(
    error: Exception, alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(alice, "one", "payment worker")
    model = Counting(error)
    monkeypatch.setattr(embedding, "ready_service", lambda: model)
    monkeypatch.setattr(query_embedding, "embedder", QueryEmbedder())

    away = search(alice, Search("payment", source="notes"))
    model.instead = None
    back = search(alice, Search("payment", source="notes"))

    assert (away.mode, away.note, [hit.key for hit in away.hits]) == ("lexical", MODEL_LOADING, ["one"])
    assert (back.mode, back.note, [hit.key for hit in back.hits]) == ("hybrid", None, ["one"])
    assert caplog.records == []


def test_search_with_another_model_than_the_collections_is_by_words_and_names_the_command(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alice, "one", "payment worker")
    monkeypatch.setattr(embedding, "ready_service", Big)
    monkeypatch.setattr(former, "former_models", FormerModels(lambda _: Broken()))

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, [hit.key for hit in answer.hits]) == ("lexical", ["one"])
    assert answer.note == (
        "Collections with vectors of another model than words-128: notes_a (words-64). "
        "They are searched lexically only. "
        "Run manage.py reembed, or set MEMORYSERVER_EMBEDDING_MODEL back."
    )


def test_queries_are_embedded_by_the_former_model_until_the_vectors_are_switched(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alice, "one", "payment worker")
    loaded = FormerModels(lambda name: {"words-64": WordEmbedder()}[name])
    while loaded.ready_service("words-64") is None:
        time.sleep(0.01)
    monkeypatch.setattr(former, "former_models", loaded)
    monkeypatch.setattr(embedding, "ready_service", Big)

    def asked() -> tuple[str, str | None, list[int | None]]:
        answer = search(alice, Search("payment worker", source="notes"))
        return answer.mode, answer.note, [hit.semantic_rank for hit in answer.hits]

    during: list[object] = []
    before = asked()
    reembed(Big(), lambda *_: during.append(asked()))

    assert len(during) >= 2
    assert {str(item) for item in [before, *during, asked()]} == {str(("hybrid", None, [1]))}
    assert Collection.objects.get(name="notes_a").model == "words-128"


def test_query_vector_of_another_length_than_the_collection_is_not_compared(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alice, "one", "payment worker")
    monkeypatch.setattr(embedding, "ready_service", lambda: Counting([1.0, 0.0]))

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, [hit.key for hit in answer.hits]) == ("lexical", ["one"])


def test_vectors_of_several_wordings_are_averaged_by_their_direction(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plane(WordEmbedder):
        model_name, dimension = "plane", 2

        def embed(self, text: str) -> Vector:
            return {"long": [4.0, 0.0], "short": [0.0, 0.5]}.get(text, [1.0, 1.0])

    monkeypatch.setattr(embedding, "ready_service", Plane)

    embedded = embed_query(["long", "short"], alice.pk, [])

    assert embedded.vector is not None
    assert embedded.vector.vector == [1.0, 1.0]


def test_where_some_collections_are_of_the_model_those_are_found_by_meaning(alice: User) -> None:
    put(alice, "old", "payment worker", collection="notes_a")
    put(alice, "new", "worker of the payment", collection="notes_b")
    Collection.objects.filter(name="notes_a").update(model="former")

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, {hit.key: hit.semantic_rank for hit in answer.hits}) == ("hybrid", {"new": 1, "old": None})
    assert answer.note is not None
    assert answer.note.startswith("Collections with vectors of another model than words-64: notes_a (former).")


def test_nothing_stored_yet_is_no_other_model(alice: User) -> None:
    embedded = embed_query(["why"], alice.pk, [])

    assert (embedded.vector is not None, embedded.note) == (True, None)
