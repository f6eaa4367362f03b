"""Against a real endpoint of the test's own."""

from __future__ import annotations

from typing import Any

import pytest

from memoryserver.embedding import EmbeddingModelError
from memoryserver.embedding.openai_compatible import OpenAICompatibleService
from memoryserver.embedding.services import BATCH
from tests.memoryserver.embedding.endpoint import Endpoint
from tests.support.fakes.broken_server import BROKEN, broken_server


@pytest.fixture
def service(endpoint: Endpoint) -> OpenAICompatibleService:
    return OpenAICompatibleService(endpoint.url, "some-model", "key")


def test_texts_come_back_as_vectors_in_their_order(service: OpenAICompatibleService) -> None:
    assert service.embed_batch(["a", "bbb", "cc"]) == [[1.0, 1.0], [1.0, 3.0], [1.0, 2.0]]


def test_request_names_the_model_and_carries_the_key(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    service.embed("a")

    assert endpoint.requests == [{"model": "some-model", "input": ["a"]}]
    assert endpoint.authorizations == ["Bearer key"]


def test_without_key_no_header_is_sent(endpoint: Endpoint) -> None:
    OpenAICompatibleService(endpoint.url, "some-model", "").embed("a")

    assert endpoint.authorizations == [None]


def test_dimension_is_asked_for_once(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    assert (service.dimension, service.dimension) == (2, 2)
    assert len(endpoint.requests) == 1


def test_many_texts_go_in_batches(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    vectors = service.embed_batch(["x" * (number % 7) for number in range(BATCH + 10)])

    assert [len(request["input"]) for request in endpoint.requests] == [BATCH, 10]
    assert len(vectors) == BATCH + 10


def test_no_texts_ask_nothing(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    assert service.embed_batch([]) == []
    assert endpoint.requests == []


def test_passing_fault_is_tried_again(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    endpoint.statuses = [503, 429]

    assert service.embed("a") == [1.0, 1.0]
    assert len(endpoint.requests) == 3


def test_fault_that_does_not_pass_is_an_error_after_three_tries(
    service: OpenAICompatibleService, endpoint: Endpoint
) -> None:
    endpoint.statuses = [503] * 9

    with pytest.raises(EmbeddingModelError, match="failed 3 times: status 503 busy"):
        service.embed("a")
    assert len(endpoint.requests) == 3


def test_refusal_is_an_error_at_once(service: OpenAICompatibleService, endpoint: Endpoint) -> None:
    endpoint.statuses = [401]

    with pytest.raises(EmbeddingModelError, match="refused: status 401 busy"):
        service.embed("a")
    assert len(endpoint.requests) == 1


def test_endpoint_that_is_down_is_an_error_that_names_it() -> None:
    with pytest.raises(EmbeddingModelError, match="http://127.0.0.1:9/v1/embeddings failed 3 times"):
        OpenAICompatibleService("http://127.0.0.1:9/v1", "some-model", "").load()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": "x"}, "unexpected response"),
        ({"data": []}, "returned 0 vectors for 1 texts"),
        ({"data": [{"index": 0, "embedding": ["x"]}]}, "unexpected response"),
        ({"data": [{"index": 0, "embedding": [float("nan")]}]}, "numbers that are not finite"),
    ],
)
def test_answer_of_another_form_is_an_error(
    service: OpenAICompatibleService, endpoint: Endpoint, answer: Any, said: str
) -> None:
    endpoint.answer = answer

    with pytest.raises(EmbeddingModelError, match=said):
        service.embed("a")


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_answer_that_is_broken_off_is_an_error_after_three_tries(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryserver.embedding.openai_compatible._FIRST_PAUSE", 0.0)
    with broken_server(answer) as port:
        service = OpenAICompatibleService(f"http://127.0.0.1:{port}/v1", "some-model", "")
        with pytest.raises(EmbeddingModelError, match="failed 3 times"):
            service.embed("a")
