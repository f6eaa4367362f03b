"""Against a real HTTP server of the test's own, which stands for any server that may answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memoryserver.local.client import Client, RefusedError, UnreachableError


class Foreign(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.content = b'{"ok": true}'
        self.seen: list[tuple[str, str, str | None, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Foreign

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.seen.append((self.command, self.path, self.headers["Authorization"], body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.content)

    do_POST = do_GET  # noqa: N815  (the library's name)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def foreign() -> Iterator[Foreign]:
    with Foreign() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_get_goes_below_the_apis_root_with_token_and_query(foreign: Foreign) -> None:
    answer = Client(foreign.url + "/prefix/", "msv_x").get("/search", {"q": "a b", "tag": ["1", "2"], "none": None})

    assert answer == {"ok": True}
    assert foreign.seen == [("GET", "/prefix/api/v1/search?q=a+b&tag=1&tag=2", "Bearer msv_x", b"")]


def test_post_sends_json(foreign: Foreign) -> None:
    Client(foreign.url, "msv_x").post("/things", {"text": "grüße \ud83d"})

    assert json.loads(foreign.seen[0][3]) == {"text": "grüße \ud83d"}


def test_text_is_given_as_text(foreign: Foreign) -> None:
    foreign.content = "grüße\n".encode()

    assert Client(foreign.url, "msv_x").get_text("/log") == "grüße\n"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_refusal_tells_the_status_and_what_the_server_said(foreign: Foreign, status: int) -> None:
    foreign.status, foreign.content = status, b'{"title": "No", "detail": "because"}'

    with pytest.raises(RefusedError, match=f"refused \\({status}\\): because") as caught:
        Client(foreign.url, "msv_x").get("/x")

    assert (caught.value.status, caught.value.problem) == (status, {"title": "No", "detail": "because"})


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_fault_of_the_server_is_to_be_tried_again(foreign: Foreign, status: int) -> None:
    foreign.status, foreign.content = status, b"<html>"

    with pytest.raises(UnreachableError, match=f"could not answer \\({status}\\)"):
        Client(foreign.url, "msv_x").post("/x", {})


def test_something_else_that_answers_200_is_not_taken_for_the_server(foreign: Foreign) -> None:
    foreign.content = b"<html>Sign in to this hotel's network</html>"

    with pytest.raises(UnreachableError, match="could not answer"):
        Client(foreign.url, "msv_x").post("/x", {})


def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9 cannot be reached: "):
        Client("http://127.0.0.1:9", "msv_x").get("/x")


def test_server_that_is_silent_is_unreachable_after_the_timeout() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = Client(f"http://127.0.0.1:{silent.getsockname()[1]}", "msv_x", timeout=0.2)

        with pytest.raises(UnreachableError, match="timed out"):
            client.get("/x")


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host", "http://", "http:///x"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not an address like"):
        Client(url, "msv_x")
