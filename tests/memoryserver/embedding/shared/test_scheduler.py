"""Which texts are embedded when. The service of these tests embeds when it is told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from memoryserver.embedding import EmbeddingModelError, Vector
from memoryserver.embedding.shared.scheduler import FEW, Scheduler
from tests.support.embedder import WordEmbedder


class Gate(WordEmbedder):
    """Waits in each forward pass until `open` is set, and remembers what the passes had."""

    def __init__(self) -> None:
        self.passes: list[list[str]] = []
        self.open = threading.Event()

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        self.passes.append(list(texts))
        assert self.open.wait(30)
        if "poison" in texts:
            raise EmbeddingModelError("cannot embed this")
        return super().embed_batch(texts)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def in_background(scheduler: Scheduler, service: Gate, texts: Sequence[str]) -> Future[list[Vector]]:
    return ThreadPoolExecutor(1).submit(scheduler.embed, service, texts)


def test_vectors_are_those_of_the_texts_in_their_order_whatever_their_length() -> None:
    texts = [f"text {number} " + "word " * (number * 7 % 300) for number in range(100)]

    assert Scheduler().embed(WordEmbedder(), texts) == WordEmbedder().embed_batch(texts)
    assert Scheduler().embed(WordEmbedder(), ["one"]) == [WordEmbedder().embed("one")]


def test_question_does_not_wait_for_a_batch() -> None:
    scheduler, service = Scheduler(threads=2), Gate()
    batch = in_background(scheduler, service, ["batch " * 200] * 50)
    until(lambda: len(service.passes) == 1)

    question = in_background(scheduler, service, ["question"])

    until(lambda: len(service.passes) == 2)
    assert service.passes[1] == ["question"]
    service.open.set()
    assert question.result(30) == [WordEmbedder().embed("question")]
    assert len(batch.result(30)) == 50


def test_all_threads_but_one_embed_batches() -> None:
    scheduler, service = Scheduler(threads=3), Gate()
    batch = in_background(scheduler, service, ["batch " * 200] * 50)
    until(lambda: len(service.passes) == 2)
    time.sleep(0.05)

    assert len(service.passes) == 2
    service.open.set()
    assert len(batch.result(30)) == 50


def test_question_is_embedded_by_the_thread_that_asks_unless_all_are_busy() -> None:
    class Naming(Gate):
        def __init__(self) -> None:
            super().__init__()
            self.threads: list[str] = []

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            self.threads.append(threading.current_thread().name)
            return super().embed_batch(texts)

    scheduler, service = Scheduler(threads=1), Naming()
    first = in_background(scheduler, service, ["first"])
    until(lambda: service.passes)
    second = in_background(scheduler, service, ["second"])
    until(lambda: scheduler._waiting)
    service.open.set()

    assert (first.result(30), second.result(30)) == ([WordEmbedder().embed("first")], [WordEmbedder().embed("second")])
    assert [name.partition("-")[0] for name in service.threads] == ["ThreadPoolExecutor", "embedding"]


def test_question_that_came_later_is_embedded_before_the_rest_of_a_batch() -> None:
    scheduler, service = Scheduler(threads=1), Gate()
    batch = in_background(scheduler, service, ["batch " * 200] * 50)
    until(lambda: service.passes)
    question = in_background(scheduler, service, ["question"])
    until(lambda: len(scheduler._waiting) > 1 and scheduler._waiting[0].priority == 0)

    service.open.set()

    assert question.result(30)
    assert service.passes[1] == ["question"]
    assert len(batch.result(30)) == 50


def test_batch_is_cut_into_slices_of_texts_of_similar_length() -> None:
    service = Gate()
    service.open.set()

    Scheduler().embed(service, ["a"] * 40 + ["b " * 5000] * 20)

    assert [len(texts) for texts in service.passes if texts[0] == "a"] == [16, 16, 8]
    assert [len(texts) for texts in service.passes if texts[0] != "a"] == [1] * 20


def test_text_that_fails_is_an_error_of_its_request_and_of_no_other() -> None:
    scheduler, service = Scheduler(), Gate()
    service.open.set()

    with pytest.raises(EmbeddingModelError, match="cannot embed this"):
        scheduler.embed(service, ["poison", *["x"] * 99])

    assert scheduler.embed(service, ["fine"]) == [WordEmbedder().embed("fine")]


def test_rest_of_a_batch_that_failed_is_not_embedded() -> None:
    scheduler, service = Scheduler(threads=1), Gate()
    batch = in_background(scheduler, service, ["poison", *[f"{'longer ' * 150}{number}" for number in range(60)]])
    until(lambda: service.passes)
    service.open.set()

    with pytest.raises(EmbeddingModelError):
        batch.result(30)

    assert scheduler.embed(service, ["next"])
    assert service.passes[1:] == [["next"]]


def test_pass_that_does_not_end_is_noticed() -> None:
    scheduler, service = Scheduler(), Gate()
    before = scheduler.longest_running()
    question = in_background(scheduler, service, ["question"] * FEW)
    until(lambda: service.passes)
    time.sleep(0.02)

    assert before == 0
    assert scheduler.longest_running() > 0.01
    service.open.set()
    question.result(30)
    until(lambda: scheduler.longest_running() == 0)


def test_memory_can_be_released_once_after_each_time_that_something_was_embedded() -> None:
    scheduler, service = Scheduler(), Gate()

    assert [scheduler.has_rested(), scheduler.has_rested()] == [True, False]
    question = in_background(scheduler, service, ["question"])
    until(lambda: service.passes)
    while_running = scheduler.has_rested()
    service.open.set()
    question.result(30)

    assert not while_running
    until(scheduler.has_rested)
    assert not scheduler.has_rested()
