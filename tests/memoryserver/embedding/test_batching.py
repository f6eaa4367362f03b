from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryserver.embedding import EmbeddingModelError, Vector, passes
from memoryserver.embedding.batching import MAX_BATCH, Batcher
from tests.support.embedder import WordEmbedder

WAIT = 30.0


class Held(WordEmbedder):
    """Records its calls; the first waits until it is released. Cannot embed `poison`."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.entered, self.released = threading.Event(), threading.Event()

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append(list(texts))
        self.entered.set()
        if len(self.calls) == 1:
            self.released.wait(WAIT)
        if "poison" in texts:
            raise EmbeddingModelError("the model failed")
        return super().embed_batch(texts)


def asked_while_busy(model: Held, texts: Sequence[str]) -> list[list[Vector] | Exception]:
    """The answers to `texts`, each asked by a thread of its own while the model embeds another text."""
    batcher = Batcher(threads=1)

    def ask(text: str) -> list[Vector] | Exception:
        try:
            return batcher.vectors(model, [text], WAIT)
        except EmbeddingModelError as error:
            return error

    with ThreadPoolExecutor(len(texts) + 1) as threads:
        first = threads.submit(ask, "first")
        assert model.entered.wait(WAIT)
        rest = [threads.submit(ask, text) for text in texts]
        while batcher._queue.qsize() < len(texts):
            threading.Event().wait(0.005)
        model.released.set()
        assert first.result() == [WordEmbedder().embed("first")]
        return [future.result() for future in rest]


def test_texts_that_wait_are_embedded_in_one_call() -> None:
    model = Held()

    answers = asked_while_busy(model, ["a", "b", "c"])

    assert answers == [[WordEmbedder().embed(text)] for text in ("a", "b", "c")]
    assert [sorted(call) for call in model.calls] == [["first"], ["a", "b", "c"]]


def test_call_has_a_limited_number_of_texts_and_none_is_left() -> None:
    model = Held()
    texts = [f"t{number}" for number in range(MAX_BATCH + 4)]

    answers = asked_while_busy(model, texts)

    assert answers == [[WordEmbedder().embed(text)] for text in texts]
    assert [len(call) for call in model.calls] == [1, MAX_BATCH, 4]


def test_all_texts_of_one_caller_are_embedded_even_if_there_are_more_than_fit_into_a_call() -> None:
    texts = [f"t{number}" for number in range(2 * MAX_BATCH + 3)]

    assert Batcher().vectors(WordEmbedder(), texts, WAIT) == WordEmbedder().embed_batch(texts)


def test_text_that_cannot_be_embedded_fails_no_other_one() -> None:
    answers = asked_while_busy(Held(), ["a", "poison", "b"])

    assert [str(answer) if isinstance(answer, Exception) else answer for answer in answers] == [
        [WordEmbedder().embed("a")],
        "the model failed",
        [WordEmbedder().embed("b")],
    ]


def test_caller_waits_no_longer_than_its_deadline_and_its_text_is_not_embedded_later() -> None:
    model, batcher = Held(), Batcher(threads=1)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(batcher.vectors, model, ["first"], WAIT)
        assert model.entered.wait(WAIT)
        with pytest.raises(TimeoutError):
            batcher.vectors(model, ["late"], 0.01)
        model.released.set()
        first.result()

    assert batcher.vectors(model, ["next"], WAIT) == [WordEmbedder().embed("next")]
    assert model.calls == [["first"], ["next"]]


def test_forward_pass_counts_without_the_wait_for_a_thread() -> None:
    model, batcher = Held(), Batcher(threads=1)

    def ask() -> float:
        with passes.measured() as spent:
            batcher.vectors(model, ["second"], WAIT)
        return spent.seconds

    with ThreadPoolExecutor(2) as threads:
        threads.submit(batcher.vectors, model, ["first"], WAIT)
        assert model.entered.wait(WAIT)
        second, began = threads.submit(ask), time.monotonic()
        while batcher._queue.empty():
            time.sleep(0.005)
        time.sleep(0.2)
        model.released.set()
        seconds, waited = second.result(), time.monotonic() - began

    assert 0 < seconds < waited - 0.1


def test_services_are_not_mixed() -> None:
    class Other(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            return [[float(len(text))] for text in texts]

    batcher = Batcher()

    assert batcher.vectors(Other(), ["abc"], WAIT) == [[3.0]]
    assert batcher.vectors(WordEmbedder(), ["abc"], WAIT) == [WordEmbedder().embed("abc")]


@pytest.mark.parametrize(
    ("error", "message"),
    [(ValueError("a bug"), "a bug"), (None, "words-64 returned 0 vectors for 1 texts")],
    ids=["another exception", "too few vectors"],
)
def test_caller_learns_of_any_failure(error: Exception | None, message: str) -> None:
    class Faulty(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            if error:
                raise error
            return []

    with pytest.raises((ValueError, EmbeddingModelError), match=message):
        Batcher().vectors(Faulty(), ["why"], WAIT)
