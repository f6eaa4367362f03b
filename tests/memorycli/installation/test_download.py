"""What a server ships, and fetching it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest

from memorycli.installation import download
from memorycli.installation.versions import InstallationError
from tests.support.fakes.api_server import HttpServer, serving

CONTENT = b"the client"
FACTS: dict[str, Any] = {
    "version": "0.2.0",
    "sha256": hashlib.sha256(CONTENT).hexdigest(),
    "size": len(CONTENT),
    "path": "/join/client.pyz",
    "python": [3, 11],
}


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        answer(running, FACTS, CONTENT)
        yield running


def answer(server: HttpServer, facts: Any, content: bytes) -> None:
    server.answer = lambda _, path, __: (200, facts if path.endswith(".json") else content)


def test_what_is_shipped_is_fetched_and_checked(server: HttpServer) -> None:
    shipped = download.shipped(server.url)

    assert (shipped.version, shipped.address) == ("0.2.0", f"{server.url}/join/client.pyz")
    assert download.archive(shipped) == CONTENT


def test_wrong_checksum_is_refused(server: HttpServer) -> None:
    answer(server, FACTS, CONTENT + b"!")

    with pytest.raises(InstallationError, match="is damaged, or the server was updated just now; nothing was changed"):
        download.archive(download.shipped(server.url))


STRANGE: list[Any] = [
    [],
    {},
    b"{",
    FACTS | {"path": "//evil.example/x"},
    FACTS | {"path": "https://evil.example/x"},
    FACTS | {"python": 3},
]


@pytest.mark.parametrize("facts", STRANGE, ids=range(len(STRANGE)))
def test_answer_of_another_kind_is_refused(facts: Any, server: HttpServer) -> None:
    answer(server, facts, CONTENT)

    with pytest.raises(InstallationError, match="does not answer like a memoryserver"):
        download.shipped(server.url)


def test_newer_python_is_asked_for(server: HttpServer) -> None:
    answer(server, FACTS | {"python": [3, 99]}, CONTENT)

    with pytest.raises(InstallationError, match=r"needs Python 3\.99; run its join line with that Python"):
        download.shipped(server.url)


def test_older_server_and_one_that_is_gone_are_one_sentence(server: HttpServer) -> None:
    server.answer = lambda *_: (404, {})
    for url in (server.url, "http://127.0.0.1:1"):
        with pytest.raises(InstallationError, match="could not be fetched: .*; nothing was changed"):
            download.shipped(url)


def test_endless_answer_is_refused(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_MAX_ARCHIVE", 5)

    with pytest.raises(InstallationError, match="is larger than any client"):
        download.archive(download.shipped(server.url))
