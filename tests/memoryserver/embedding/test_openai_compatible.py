"""Against a real endpoint of the test's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memoryserver.embedding import EmbeddingModelError
from memoryserver.embedding.openai_compatible import BATCH, OpenAICompatibleService


class Endpoint(ThreadingHTTPServer):
    """Answers with vectors of two numbers, the second being the text's length; out of order, as it may."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses: list[int] = []
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.answer: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.authorizations.append(self.headers["Authorization"])
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        rows = [{"index": number, "embedding": [1, len(text)]} for number, text in enumerate(request["input"])]
        body = {"data": rows[::-1]} if self.server.answer is None else self.server.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() if status == 200 else b"busy")

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr("memoryserver.embedding.openai_compatible._FIRST_PAUSE", 0.001)
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


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
