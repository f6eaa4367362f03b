"""Requests to the server, and their errors as sentences."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from memorycli.mcp import server_calls
from memorycli.mcp.place import Place
from memorycli.mcp.tool import ToolError
from memoryserver.client.http import Client
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def ask(place: Place) -> Any:
    async def call() -> Any:
        return await server_calls.ask(place, lambda client: client.get("/x"))

    return anyio.run(call)


def refusal(server: HttpServer, status: int, body: dict[str, Any]) -> str:
    server.answer = lambda *_: (status, body)
    with pytest.raises(ToolError) as caught:
        ask(Place(caller=Client(server.url, server.token)))
    return str(caught.value)


def test_answer_of_the_server_is_returned(server: HttpServer) -> None:
    server.answer = lambda *_: (200, {"a": 1})

    assert ask(Place(caller=Client(server.url, server.token))) == {"a": 1}


@pytest.mark.parametrize("status", [401, 403])
def test_refused_token_says_how_to_get_another(status: int, server: HttpServer) -> None:
    message = refusal(server, status, {"detail": "revoked"})

    assert message == "The server refused the token (revoked); ask the user to run: memory login URL"


def test_refused_request_has_the_reason_on_one_line(server: HttpServer) -> None:
    assert refusal(server, 422, {"detail": "limit\n<b>is too large"}) == (
        "The server refused this: limit ‹b>is too large"
    )


def test_unreachable_server_is_a_sentence_without_hints_over_http() -> None:
    with pytest.raises(ToolError) as caught:
        ask(Place(caller=Client("http://127.0.0.1:1", "t")))

    assert str(caught.value).startswith("The memory server is not available: http://127.0.0.1:1 cannot be reached")
    assert server_calls.STILL_WORKS not in str(caught.value)


def test_missing_login_on_the_laptop_says_what_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Laptop(tmp_path, monkeypatch, capsys)

    with pytest.raises(ToolError) as caught:
        ask(Place(memory.project))

    assert str(caught.value) == (
        f"The memory server is not available: not logged in; run: memory login URL. {server_calls.STILL_WORKS}"
    )


def test_work_runs_outside_the_event_loop_and_its_errors_are_raised() -> None:
    async def call() -> tuple[int, int]:
        return threading.get_ident(), await server_calls.in_thread(threading.get_ident)

    loop, worker = anyio.run(call)
    assert loop != worker

    def broken() -> None:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        anyio.run(server_calls.in_thread, broken)
