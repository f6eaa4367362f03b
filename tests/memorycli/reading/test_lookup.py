"""What the laptop makes of the server's answers about an id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memorycli.errors import CommandError
from memorycli.reading import lookup
from memoryserver.client.http import Client
from tests.support.fakes.api_server import HttpServer, serving

MATCH = {
    "kind": "entry",
    "id": "ghap/ghap_1",
    "title": "a\x1b[31mb",
    "user": "alice",
    "project": None,
    "created_at": "2026-11-20T14:30:22Z",
    "page": "/entries/7/",
}


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def answering(server: HttpServer, *matches: Any) -> Client:
    server.answer = lambda *_: (200, {"matches": list(matches), "more": False})
    return Client(server.url, server.token)


def test_match_has_the_address_of_its_page(server: HttpServer) -> None:
    (match,) = lookup.look_up(answering(server, MATCH), "ghap_1")

    assert (match.url, match.title, match.project) == (f"{server.url}/entries/7/", "ab", "")


@pytest.mark.parametrize("page", ["//evil.example/", "https://evil.example/", "javascript:x", "", None])
def test_page_that_is_no_path_of_this_server_is_left_out(page: str | None, server: HttpServer) -> None:
    (match,) = lookup.look_up(answering(server, MATCH | {"page": page}), "ghap_1")

    assert match.url == ""


def test_address_of_the_server_is_asked_for_as_a_path(server: HttpServer) -> None:
    lookup.look_up(answering(server, MATCH), f"{server.url}/entries/7/")

    assert [path for _, path, _ in server.requests] == ["/api/v1/lookup?id=%2Fentries%2F7%2F"]


def test_address_of_another_server_is_refused_without_asking(server: HttpServer) -> None:
    with pytest.raises(CommandError, match="that is not a page of http://"):
        lookup.look_up(answering(server, MATCH), "https://other.example/entries/7/")

    assert server.requests == []


def test_older_server_is_named_as_such(server: HttpServer) -> None:
    with pytest.raises(CommandError, match="is too old to look up ids; update the server"):
        lookup.look_up(Client(server.url, server.token), "ghap_1")


@pytest.mark.parametrize("match", [None, 7, {}, "x"])
def test_answer_that_is_not_understood_is_one_sentence(match: Any, server: HttpServer) -> None:
    with pytest.raises(CommandError, match="does not answer like a memoryserver"):
        lookup.look_up(answering(server, match), "ghap_1")


def test_key_is_quoted_in_the_path_that_reads_it(server: HttpServer) -> None:
    server.answer = lambda *_: (200, {})
    client = Client(server.url, server.token)
    for kind, id_ in (("learning", "learnings/a b?c/../d"), ("session", "sessions/x/y")):
        lookup.read(client, lookup.Match(kind, id_, "", "", "", "", ""))

    assert [path for _, path, _ in server.requests] == [
        "/api/v1/memory/learnings/a%20b%3Fc%2F..%2Fd",
        "/api/v1/trajectory/sessions/x%2Fy/assessment",
    ]
