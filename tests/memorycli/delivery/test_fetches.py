"""What a sync fetches after it has sent, from a real HTTP server."""

from __future__ import annotations

from typing import Any

import pytest

from memorycli.delivery import connection
from memorycli.delivery.fetches import FETCHES
from memoryserver.client import context_cache
from memoryserver.client.http import Client, UnauthorizedError
from tests.support.fakes.api_server import HttpServer
from trajectory.local.config import resolve


def test_configuration_and_context_are_fetched_and_the_laptop_is_reported(server: HttpServer, client: Client) -> None:
    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        if path.startswith("/api/v1/trajectory/configuration"):
            return 200, {"version": "v1", "unchanged": False, "configuration": {"observers": {}}}
        return 200, {"text": "Remember the milk."}

    server.answer = answer
    reports = {name: fetch(client) for name, fetch in FETCHES.items()}

    assert {name: report.line for name, report in reports.items()} == {
        "observers": "fetched version v1",
        "context": "fetched for 1 project",
        "laptop": "reported",
    }
    assert all(report.complete for report in reports.values())
    assert resolve.cached("shop")["version"] == "v1"
    cached = context_cache.load("shop")
    assert cached is not None
    assert "milk" in cached.text


@pytest.mark.parametrize("name", FETCHES)
def test_older_server_has_none_and_that_is_complete(name: str, client: Client) -> None:
    report = FETCHES[name](client)

    assert report.line.startswith("not reported: " if name == "laptop" else "not fetched: ")
    assert (report.complete, report.offline) == (True, False)


@pytest.mark.parametrize("name", FETCHES)
def test_server_that_is_away_is_offline(name: str, server: HttpServer, client: Client) -> None:
    server.answer = lambda *_: (503, {"detail": "later"})

    report = FETCHES[name](client)

    assert (report.complete, report.offline) == (False, True)


@pytest.mark.parametrize("name", FETCHES)
def test_refused_token_is_raised(name: str, server: HttpServer) -> None:
    with pytest.raises(UnauthorizedError):
        FETCHES[name](connection.client(server.url, "wrong"))
