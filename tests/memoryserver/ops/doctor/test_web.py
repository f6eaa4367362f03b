from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from memoryserver.ops.doctor import web
from tests.memoryserver.ops.receivers import MailServer
from tests.support.fakes.broken_server import BROKEN, broken_server
from tests.support.processes.server_process import free_port


@pytest.fixture
def ready_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A web server whose answer to `/readyz` is the dict that the test fills."""
    answer: dict[str, Any] = {"status": 200}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answer["status"])
            self.end_headers()
            self.wfile.write(json.dumps({"checks": answer["checks"]}).encode())

        def log_message(self, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        monkeypatch.setenv("MEMORYSERVER_HOST", "0.0.0.0")
        monkeypatch.setenv("MEMORYSERVER_PORT", str(server.server_address[1]))
        yield answer
        server.shutdown()


def test_server_that_answers_with_its_model_has_no_findings(ready_server: dict[str, Any]) -> None:
    ready_server["checks"] = {"embedding model": {"good": True, "detail": "loaded"}}
    assert list(web.answers()) == []


def test_model_that_is_not_loaded_is_found_though_the_server_is_not_ready(ready_server: dict[str, Any]) -> None:
    ready_server |= {"status": 503, "checks": {"embedding model": {"good": False, "detail": "still loading"}}}

    (finding,) = web.answers()

    assert finding.what == "the embedding model: still loading"


def test_server_that_does_not_run_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setenv("MEMORYSERVER_PORT", str(port))

    (finding,) = web.answers()

    assert finding.what == f"the web server does not answer at http://127.0.0.1:{port}: [Errno 111] Connection refused"


@pytest.mark.parametrize(
    ("url", "tls", "found"),
    [
        ("https://memory.example.org", True, []),
        ("http://127.0.0.1:8000", False, []),
        ("https://b.org", True, ["MEMORYSERVER_PUBLIC_URL names b.org, which the server refuses as a host"]),
        ("https://memory.example.org", False, ["MEMORYSERVER_PUBLIC_URL is https, and cookies are sent without TLS"]),
        ("http://memory.example.org", True, ["MEMORYSERVER_TLS is on, and MEMORYSERVER_PUBLIC_URL is not https"]),
    ],
)  # fmt: skip
def test_public_address_fits_the_hosts_and_tls(url: str, tls: bool, found: list[str], settings: Any) -> None:
    settings.PUBLIC_URL, settings.SESSION_COOKIE_SECURE = url, tls
    settings.ALLOWED_HOSTS = ["127.0.0.1", "memory.example.org"]

    assert [finding.what for finding in web.public_url()] == found


@pytest.mark.parametrize(
    ("host", "tls", "count"), [("127.0.0.1", False, 0), ("0.0.0.0", True, 0), ("0.0.0.0", False, 1)]
)
def test_server_open_to_others_without_tls_is_found(
    host: str, tls: bool, count: int, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOST", host)
    settings.SESSION_COOKIE_SECURE = tls

    assert len(list(web.exposure())) == count


def test_host_that_is_missing_is_added_to_those_of_the_setting(settings: Any) -> None:
    settings.PUBLIC_URL, settings.SESSION_COOKIE_SECURE = "https://b.org", True
    settings.ALLOWED_HOSTS = ["127.0.0.1", "a.org"]

    assert [finding.fix for finding in web.public_url()] == ["set MEMORYSERVER_ALLOWED_HOSTS=127.0.0.1,a.org,b.org"]


def test_debug_mode_is_found(settings: Any) -> None:
    settings.DEBUG = True
    assert [finding.fix for finding in web.exposure()] == ["set MEMORYSERVER_DEBUG=0"]


def test_mail_server_that_answers_has_no_findings(mail: MailServer) -> None:
    assert list(web.mail()) == []


def test_mail_server_that_does_not_answer_is_found(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port

    (finding,) = web.mail()

    assert finding.what.startswith(f"the mail server 127.0.0.1:{port} cannot be used: ")
    assert finding.fix == (
        "set MEMORYSERVER_SMTP_URL=smtp+tls://USER:PASSWORD@HOST:587 as the mail server wants it; "
        "try it: manage.py sendtestemail YOUR@ADDRESS"
    )


def test_mails_in_files_need_no_mail_server(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    assert list(web.mail()) == []


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_something_else_that_listens_there_is_no_answer(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with broken_server(answer) as port:
        monkeypatch.setenv("MEMORYSERVER_PORT", str(port))
        (finding,) = web.answers()

    assert finding.what.startswith(f"the web server does not answer at http://127.0.0.1:{port}: ")
