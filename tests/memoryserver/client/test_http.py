"""Against a real HTTP server of the test's own, which stands for any server that may answer."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memoryserver import __version__
from memoryserver.client.http import (
    MAX_RETRY_AFTER,
    Client,
    RefusedError,
    ServerError,
    UnauthorizedError,
    UnreachableError,
    retry_after,
)


class Foreign(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.content = b'{"ok": true}'
        self.seen: list[tuple[str, str, str | None, bytes]] = []
        self.agents: list[str | None] = []
        self.takes_gzip = True
        self.dislikes_gzip_by = 415
        self.version = ""
        self.retry_after = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Foreign

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.seen.append((self.command, self.path, self.headers["Authorization"], body))
        self.server.agents.append(self.headers["User-Agent"])
        packed = self.headers["Content-Encoding"] is not None
        fits = self.server.takes_gzip or not packed
        self.send_response(self.server.status if fits else self.server.dislikes_gzip_by)
        if self.server.version:
            self.send_header("X-Memoryserver-Version", self.server.version)
        if self.server.retry_after:
            self.send_header("Retry-After", self.server.retry_after)
        self.end_headers()
        self.wfile.write(self.server.content)

    do_POST = do_GET  # noqa: N815  (the library's name)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def foreign() -> Iterator[Foreign]:
    with Foreign() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
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


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422])
def test_refusal_tells_the_status_and_what_the_server_said(foreign: Foreign, status: int) -> None:
    foreign.status, foreign.content = status, b'{"title": "No", "detail": "because"}'

    with pytest.raises(RefusedError, match=f"refused \\({status}\\): because") as caught:
        Client(foreign.url, "msv_x").get("/x")

    assert (caught.value.status, caught.value.problem) == (status, {"title": "No", "detail": "because"})


@pytest.mark.parametrize(("status", "why"), [(401, "401"), (403, "403: because")])
def test_refused_token_says_how_to_get_another(foreign: Foreign, status: int, why: str) -> None:
    foreign.status, foreign.content = status, b'{"title": "No", "detail": "because"}'

    with pytest.raises(UnauthorizedError) as caught:
        Client(foreign.url, "msv_x").get("/x")

    assert str(caught.value) == f"{foreign.url} refused the token ({why}); run: memory login {foreign.url}"
    assert (caught.value.status, caught.value.problem) == (status, {"title": "No", "detail": "because"})


@pytest.mark.parametrize(("status", "refuses_token"), [(400, False), (401, True), (403, True), (404, False)])
def test_refused_token_has_an_error_of_its_own(foreign: Foreign, status: int, refuses_token: bool) -> None:
    foreign.status = status

    with pytest.raises(RefusedError) as caught:
        Client(foreign.url, "msv_x").get("/x")

    assert isinstance(caught.value, UnauthorizedError) is refuses_token


@pytest.mark.parametrize("status", [409, 429, 500, 503])
def test_error_names_the_pause_that_the_server_asks_for(foreign: Foreign, status: int) -> None:
    foreign.status, foreign.retry_after = status, "120"

    with pytest.raises(ServerError) as caught:
        Client(foreign.url, "msv_x").post("/x", {})

    assert caught.value.retry_after == 120.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("", 0.0), ("soon", 0.0), ("-5", 0.0), ("7", 7.0), (" 7 ", 7.0), ("999999999", MAX_RETRY_AFTER)],
)
def test_pause_is_bounded_and_nothing_where_it_is_not_readable(value: str, seconds: float) -> None:
    assert retry_after(value) == seconds


def test_pause_may_be_a_date() -> None:
    assert 50 < retry_after(formatdate(time.time() + 60, usegmt=True)) <= 60
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


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


LARGE = {"texts": ["the same again"] * 1000}


def test_large_body_goes_compressed_and_small_as_it_is(foreign: Foreign) -> None:
    client = Client(foreign.url, "msv_x")
    client.post("/x", LARGE)
    client.post("/x", {"a": 1})

    packed, plain = (body for *_, body in foreign.seen)
    assert json.loads(gzip.decompress(packed)) == LARGE
    assert len(packed) < 1000
    assert plain == b'{"a": 1}'


@pytest.mark.parametrize("status", [400, 415])
def test_server_too_old_for_compressed_bodies_gets_them_as_they_are(foreign: Foreign, status: int) -> None:
    foreign.takes_gzip = False
    foreign.dislikes_gzip_by = status
    client = Client(foreign.url, "msv_x")

    assert (client.post("/x", LARGE), client.post("/x", LARGE)) == ({"ok": True}, {"ok": True})

    assert [body[:1] for *_, body in foreign.seen] == [b"\x1f", b"{", b"{"]


def test_body_that_an_old_server_dislikes_either_way_is_refused_once(foreign: Foreign) -> None:
    foreign.status = 400
    with pytest.raises(RefusedError):
        Client(foreign.url, "msv_x").post("/x", LARGE)

    assert len(foreign.seen) == 2


def test_body_that_a_server_of_today_dislikes_is_not_sent_again(foreign: Foreign) -> None:
    foreign.status, foreign.version = 400, "9.1"
    client = Client(foreign.url, "msv_x")
    with pytest.raises(RefusedError):
        client.post("/x", LARGE)

    assert (len(foreign.seen), client.server_version) == (1, "9.1")


def test_both_say_which_version_they_are(foreign: Foreign) -> None:
    foreign.version = "9.1"
    client = Client(foreign.url, "msv_x")
    client.get("/x")

    assert (client.server_version, foreign.agents) == ("9.1", [f"memory/{__version__}"])
    assert parsedate_to_datetime(client.date).year >= 2020


def test_account_differs_by_token_and_does_not_contain_it() -> None:
    accounts = [Client("http://x", token).account for token in ("secret-a", "secret-b", "secret-a")]
    assert (accounts[0] == accounts[2], accounts[0] == accounts[1], "secret" in accounts[0]) == (True, False, False)
