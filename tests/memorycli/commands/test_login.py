"""`memory login` against a real HTTP server."""

from __future__ import annotations

import json
import os
import pty
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


def stored(memory: Laptop) -> Any:
    path = memory.home / "credentials.json"
    return json.loads(path.read_bytes()) if path.exists() else None


def test_token_from_standard_input_is_checked_and_then_stored_for_its_owner_only(
    memory: Laptop, server: HttpServer
) -> None:
    said = memory("login", f"{server.url}/", stdin=b" secret-token\r\n")
    assert (said.status, said.out) == (0, f"logged in to {server.url} as alice\n")
    assert server.requests == [("GET", "/api/v1/whoami", "Bearer secret-token")]
    assert stored(memory) == {"url": server.url, "token": "secret-token"}
    assert stat.S_IMODE((memory.home / "credentials.json").stat().st_mode) == 0o600


def test_token_is_read_from_a_file(memory: Laptop, server: HttpServer, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\ufeffsecret-token\n")
    assert memory("login", server.url, "--token-file", str(tmp_path / "token")).status == 0
    assert stored(memory)["token"] == "secret-token"


def test_token_is_asked_for_at_a_terminal_if_the_server_has_no_device_flow(memory: Laptop, server: HttpServer) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "memorycli", "login", server.url])
    shown = b""
    while not shown.endswith(b"Token: "):
        shown += os.read(terminal, 100)
    os.write(terminal, b"secret-token\n")
    try:
        while chunk := os.read(terminal, 100):
            shown += chunk
    except OSError:  # how Linux says that the terminal's other end is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert shown.decode().replace("\r\n", "\n") == (
        f"{server.url} has no page for this; make a token there and paste it.\n"
        f"Token: \nlogged in to {server.url} as alice\n"
    )


@pytest.mark.parametrize("token", [b"wrong", b"", b"two words", b"a\nb", "gehe\u00efm".encode(), b"a\0b"])
def test_token_that_is_not_accepted_is_not_stored(token: bytes, memory: Laptop, server: HttpServer) -> None:
    said = memory("login", server.url, stdin=token)
    assert (said.status, said.out, stored(memory)) == (1, "", None)
    assert re.fullmatch(r"memory: [^\n]+\n", said.err)
    assert "wrong" not in said.err


@pytest.mark.parametrize(
    "answer",
    [(200, {"name": "x"}), (200, []), (200, b"<html>"), (404, {}), (500, {}), (302, b""), (403, {"detail": "no"})],
)
def test_what_does_not_answer_like_a_memoryserver_is_not_stored(
    answer: tuple[int, Any], memory: Laptop, server: HttpServer
) -> None:
    server.answer = lambda *_: answer
    said = memory("login", server.url, stdin=b"t")
    assert (said.status, said.out, stored(memory)) == (1, "", None)
    assert re.fullmatch(r"memory: [^\n]+\n", said.err)


@pytest.mark.parametrize(
    ("status", "url"),
    [
        *((2, url) for url in ("x", "", "ftp://x", "http://", "http://[::1", "http://127.0.0.1:99999")),
        *((2, url) for url in ("http://127.0.0.1:0", "http://127.0.0.1:1/a b")),
        *((1, url) for url in ("http://127.0.0.1:1", "http://a..b", "http://" + "x" * 300)),
        *((1, url) for url in ("http://\u2603.invalid", "http://a\0b")),
    ],
)
def test_address_that_is_none_is_one_line(status: int, url: str, memory: Laptop) -> None:
    said = memory("login", url, stdin=b"t")
    assert (said.status, said.out, stored(memory)) == (status, "", None)
    assert re.fullmatch(r"memory: [^\n]+\n", said.err)


def test_missing_token_file_is_one_line(memory: Laptop, server: HttpServer) -> None:
    said = memory("login", server.url, "--token-file", "missing")
    assert said.err == "memory: cannot read the token from missing: No such file or directory\n"


def test_failed_login_leaves_the_old_one(memory: Laptop, server: HttpServer) -> None:
    memory("login", server.url, stdin=b"secret-token")
    before = stored(memory)
    memory("login", server.url, stdin=b"wrong")
    assert stored(memory) == before


def device_flow(*polls: tuple[int, Any]) -> Any:
    """Answers of a server with the device flow: a code, then `polls` in turn, and who the token's user is."""
    answers = iter(polls)

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        if path == "/api/v1/device/code":
            page = "http://elsewhere.example/device/"
            code = {"device_code": "d" * 64, "user_code": "BCDF-GHJK", "verification_uri": page}
            return 200, {**code, "verification_uri_complete": f"{page}?code=BCDF-GHJK", "expires_in": 60, "interval": 0}
        if path == "/api/v1/device/token":
            assert body == {"device_code": "d" * 64}
            return next(answers)
        return 200, {"user": "alice"}

    return answer


def test_empty_token_on_standard_input_is_one_line_and_asks_for_no_code(memory: Laptop, server: HttpServer) -> None:
    said = memory("login", server.url, stdin=b"\n")

    told = "memory: the token on standard input is empty; --no-browser shows a page that gives one\n"
    assert (said.status, said.out, said.err, stored(memory)) == (1, "", told, None)
    assert server.requests == []


def test_without_a_token_the_page_and_the_code_are_printed_and_the_token_is_fetched(
    memory: Laptop, server: HttpServer
) -> None:
    pending = (400, {"error": "authorization_pending", "detail": "wait"})
    server.answer = device_flow(pending, pending, (200, {"access_token": "secret-token", "user": "alice"}))
    said = memory("login", server.url, "--no-browser")

    assert (said.status, said.err) == (0, "")
    assert said.out == (f"Open {server.url}/device/\nand type the code BCDF-GHJK\nlogged in to {server.url} as alice\n")
    assert stored(memory) == {"url": server.url, "token": "secret-token"}
    assert [token for _, path, token in server.requests if "device" in path] == [""] * 4


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("access_denied", "the request was denied in the browser; nothing was stored"),
        ("expired_token", "nobody allowed the request in time; run memory login again"),
        ("invalid_grant", "the server no longer knows the request; run memory login again"),
    ],
)
def test_request_that_ends_without_a_token_is_one_line(
    error: str, reason: str, memory: Laptop, server: HttpServer
) -> None:
    server.answer = device_flow((400, {"error": error, "detail": "no"}))
    said = memory("login", server.url, "--no-browser")

    assert (said.status, said.err, stored(memory)) == (1, f"memory: {reason}\n", None)


def test_server_without_the_device_flow_is_one_line_where_nobody_can_paste(memory: Laptop, server: HttpServer) -> None:
    said = memory("login", server.url, "--no-browser")

    assert said.err == f"memory: {server.url} has no page for this; make a token there and use --token-file\n"


def test_pasting_nothing_is_one_line(memory: Laptop, server: HttpServer) -> None:
    said = memory("login", server.url, "--paste")

    assert said.err == "memory: no token given; make one on the server's page Tokens and paste it\n"
