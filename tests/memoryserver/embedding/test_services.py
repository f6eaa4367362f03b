"""The bases of services, by small services made of them; that the real ones keep the contract is in test_base."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryserver.embedding.base import EmbeddingModelError, Vector
from memoryserver.embedding.services import BATCH, InProcessService, RequestingService


class Lengths(InProcessService[str]):
    """A service with the vector [length]; its model is a word. Fails at texts with "!"."""

    dimension = 1
    faults = 0

    def __init__(self) -> None:
        super().__init__("lengths")
        self.loads = 0
        self.encoded: list[Sequence[str]] = []
        self.may_load = threading.Event()
        self.may_load.set()

    def _load(self) -> str:
        self.may_load.wait()
        self.loads += 1
        if self.faults:
            self.faults -= 1
            raise EmbeddingModelError("the disk is full")
        return "loaded"

    def _encode(self, model: str, texts: Sequence[str]) -> list[Vector]:
        self.encoded.append(texts)
        if any("!" in text for text in texts):
            raise KeyError("no such token")
        return [[float(len(text))] for text in texts]


class Requests(RequestingService):
    """A service with the vector [length, 1]."""

    def __init__(self) -> None:
        super().__init__("asked")
        self.requests: list[Sequence[str]] = []

    def load(self) -> None:
        _ = self.dimension

    def _request(self, texts: Sequence[str]) -> list[Vector]:
        self.requests.append(texts)
        return [[float(len(text)), 1.0] for text in texts]


def test_model_is_loaded_at_its_first_use_and_once_for_all_threads() -> None:
    service = Lengths()
    service.may_load.clear()

    with ThreadPoolExecutor(4) as pool:
        vectors = [pool.submit(service.embed, "abc") for _ in range(4)]
        assert service.loads == 0
        service.may_load.set()

    assert [future.result() for future in vectors] == [[3.0]] * 4
    assert service.loads == 1


def test_model_that_failed_to_load_is_loaded_at_the_next_use() -> None:
    service = Lengths()
    service.faults = 1

    with pytest.raises(EmbeddingModelError, match="^the disk is full$"):
        service.load()

    assert service.embed("ab") == [2.0]
    assert service.loads == 2


def test_no_texts_load_no_model() -> None:
    service = Lengths()

    assert service.embed_batch([]) == []
    assert (service.loads, service.encoded) == (0, [])


def test_any_error_of_the_library_is_an_error_of_the_model_that_names_both() -> None:
    with pytest.raises(EmbeddingModelError, match="^lengths could not embed 2 texts: 'no such token'$") as caught:
        Lengths().embed_batch(["a", "b!"])

    assert isinstance(caught.value.__cause__, KeyError)


def test_many_texts_are_asked_for_in_batches_and_come_back_in_their_order() -> None:
    service = Requests()
    texts = ["x" * number for number in range(2 * BATCH + 1)]

    vectors = service.embed_batch(texts)

    assert [len(texts) for texts in service.requests] == [BATCH, BATCH, 1]
    assert vectors == [[float(number), 1.0] for number in range(2 * BATCH + 1)]


def test_no_texts_ask_nothing_of_the_other_process() -> None:
    service = Requests()

    assert service.embed_batch([]) == []
    assert service.requests == []


def test_dimension_is_asked_for_once_by_all_threads() -> None:
    service = Requests()

    with ThreadPoolExecutor(4) as pool:
        dimensions = list(pool.map(lambda _: service.dimension, range(8)))

    assert dimensions == [2] * 8
    assert service.requests == [["dimension"]]


def test_name_is_that_of_the_settings_unless_one_is_given(settings: object) -> None:
    class Default(Requests):
        def __init__(self) -> None:
            RequestingService.__init__(self)

    settings.EMBEDDING_MODEL = "the-model"  # type: ignore[attr-defined]

    assert (Default().model_name, Requests().model_name) == ("the-model", "asked")
