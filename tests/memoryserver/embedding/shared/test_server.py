"""The server at its socket, in the form of OpenAI's API."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryserver.embedding.shared import server as module
from memoryserver.embedding.shared.client import _Connection, responds
from memoryserver.embedding.shared.server import EmbeddingServer
from memoryserver.embedding.shared.wire import unpacked
from tests.memoryserver.embedding.shared.serving import serving
from tests.memoryserver.embedding.shared.test_scheduler import Gate, until
from tests.support.embedder import WordEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embedding.sock"


@pytest.fixture
def server(path: Path) -> Iterator[EmbeddingServer]:
    with serving(path, WordEmbedder()) as server:
        yield server


def post(path: Path, body: Any, address: str = "/v1/embeddings") -> tuple[int, Any]:
    connection = _Connection(path)
    connection.request("POST", address, body if isinstance(body, bytes) else json.dumps(body).encode())
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


def test_socket_can_be_opened_by_this_user_only(server: EmbeddingServer, path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_creating_the_socket_leaves_the_umask_as_it_was(server: EmbeddingServer) -> None:
    before = os.umask(0o022)
    os.umask(before)

    assert before != 0o177


def test_file_that_a_killed_process_left_is_replaced(path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()

    with serving(path, WordEmbedder()):
        assert responds(path)


def test_texts_come_back_as_numbers_unless_base64_is_asked_for(server: EmbeddingServer, path: Path) -> None:
    request = {"model": "words-64", "input": ["one", "two three"]}
    expected = WordEmbedder().embed_batch(["one", "two three"])

    status, numbers = post(path, request)
    _, texts = post(path, request | {"encoding_format": "base64"})

    assert (status, numbers["object"], numbers["model"]) == (200, "list", "words-64")
    assert [(row["object"], row["index"]) for row in numbers["data"]] == [("embedding", 0), ("embedding", 1)]
    assert [row["embedding"] for row in numbers["data"]] == expected
    assert [unpacked(row["embedding"]) for row in texts["data"]] == [pytest.approx(vector) for vector in expected]


def test_one_text_may_stand_without_a_list(server: EmbeddingServer, path: Path) -> None:
    status, answer = post(path, {"model": "words-64", "input": "one"})

    assert (status, [row["embedding"] for row in answer["data"]]) == (200, [WordEmbedder().embed("one")])


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "the request cannot be read"),
        ([], 400, "the request cannot be read"),
        ({"model": "words-64"}, 400, "the request cannot be read: KeyError('input')"),
        ({"model": "words-64", "input": []}, 400, "input must be a text or a list of texts"),
        ({"model": "words-64", "input": [1]}, 400, "input must be a text or a list of texts"),
        ({"model": "other", "input": ["a"]}, 503, "other is being loaded"),
    ],
)
def test_request_that_cannot_be_answered_gets_a_reason(
    body: Any, status: int, message: str, server: EmbeddingServer, path: Path
) -> None:
    answered, answer = post(path, body)

    assert answered == status
    assert message in answer["error"]["message"]
    assert responds(path)


def test_text_that_the_model_cannot_embed_gets_its_reason(path: Path) -> None:
    service = Gate()
    service.open.set()
    with serving(path, service):
        answer = post(path, {"model": "words-64", "input": ["poison"]})

    assert answer == (422, {"error": {"message": "cannot embed this"}})


@pytest.mark.parametrize("length", ["0", "-1", str(module.LARGEST_REQUEST + 1)])
def test_request_that_is_too_large_or_empty_is_refused_unread(length: str, server: EmbeddingServer, path: Path) -> None:
    connection = _Connection(path)
    connection.putrequest("POST", "/v1/embeddings")
    connection.putheader("Content-Length", length)
    connection.endheaders()

    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.status == 400


@pytest.mark.parametrize("address", ["/", "/v1/embeddings/", "/v1/models"])
def test_other_address_is_not_found(address: str, server: EmbeddingServer, path: Path) -> None:
    connection = _Connection(path)
    connection.request("GET", address)
    response = connection.getresponse()
    response.read()
    connection.close()

    assert (response.status, post(path, {}, address)[0]) == (404, 404)


def test_pass_that_does_not_end_makes_it_unwell(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STUCK_AFTER", 0.0)
    service = Gate()
    with serving(path, service):
        assert responds(path)
        asking = threading.Thread(target=post, args=[path, {"model": "words-64", "input": ["a"]}])
        asking.start()
        until(lambda: service.passes)
        assert not responds(path)
        service.open.set()
        asking.join()
        until(lambda: responds(path))


def test_request_that_runs_is_answered_before_the_end_and_the_socket_is_gone(path: Path) -> None:
    service = Gate()
    answers: list[tuple[int, Any]] = []
    with serving(path, service) as server:
        asking = threading.Thread(target=lambda: answers.append(post(path, {"model": "words-64", "input": ["a"]})))
        asking.start()
        until(lambda: service.passes)
        threading.Timer(0.1, service.open.set).start()
        server.finish(30)
        asking.join()
        assert not path.exists()

    assert [status for status, _ in answers] == [200]


def test_end_does_not_wait_for_ever(path: Path) -> None:
    service = Gate()
    with serving(path, service) as server:
        connection = _Connection(path)
        connection.request("POST", "/v1/embeddings", json.dumps({"model": "words-64", "input": ["a"]}))
        until(lambda: service.passes)
        server.finish(0.05)
        assert not path.exists()
        service.open.set()
        connection.close()


def test_client_that_goes_away_harms_nobody(
    server: EmbeddingServer, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    connection = _Connection(path)
    connection.request("POST", "/v1/embeddings", json.dumps({"model": "words-64", "input": ["a"] * 500}))
    connection.close()

    assert responds(path)
    assert caplog.records == []


def test_connection_stays_open_for_further_requests(server: EmbeddingServer, path: Path) -> None:
    connection = _Connection(path)
    statuses = []
    for _ in range(3):
        connection.request("GET", "/health")
        response = connection.getresponse()
        response.read()
        statuses.append((response.status, connection.sock is not None))
    connection.close()

    assert statuses == [(http.client.OK, True)] * 3
