"""A real nginx and a real Caddy, each in front of the real server, as their files in `deploy/` say."""

from __future__ import annotations

import http.client
import json
import os
import re
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from memoryserver.middleware.requests import REFUSED_BODY_LIMITS
from tests.deploy.test_docker import composed_environment
from tests.support.database.migrated import Migrated
from tests.support.processes.deployment import (
    DEPLOY,
    Service,
    certificate,
    manage,
    max_request_bytes,
    wait_for_port,
)
from tests.support.processes.server_process import ROOT, free_port

HOST = "memory.example.org"
NGINX, CADDY = DEPLOY / "nginx" / "memoryserver.conf", DEPLOY / "caddy" / "Caddyfile"


class Web(NamedTuple):
    """A web process: its port, a token, and the address of its database."""

    port: int
    token: str
    database: str


@pytest.fixture(scope="module")
def server(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web process with the settings that a proxy needs."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    with migrated.database() as address:
        environment = {
            **{name: os.environ[name] for name in ("PATH", "MEMORYSERVER_EMBEDDING_SERVICE")},
            **composed_environment("web"),
            "DATABASE_URL": address,
            "MEMORYSERVER_DATA": str(folder),
            "PYTHONPATH": str(ROOT),
            "MEMORYSERVER_PORT": str(port),
        }
        said = subprocess.run(manage("prepare"), env=environment, check=True, capture_output=True, text=True).stdout
        with Service(manage("gunicorn"), folder, environment) as web:
            web.wait_until_notified("READY=1")
            yield Web(port, said.split("API token ")[1].split()[0], address)


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[int]:
    """Run nginx with our file, with other ports, paths and a certificate that signs itself; yield its port."""
    port, plain = free_port(), free_port()
    chain, key = certificate(folder, HOST)
    text = NGINX.read_text()
    for before, after in [
        ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        (f"/etc/letsencrypt/live/{HOST}/fullchain.pem", str(chain)),
        (f"/etc/letsencrypt/live/{HOST}/privkey.pem", str(key)),
    ]:
        assert before in text, before
        text = text.replace(before, after)
    (folder / "site.conf").write_text(text)
    # Who runs the tests may be root, whose folders nginx's own account could not enter.
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;"
        f" include {folder}/site.conf; }}\n"
    )
    words = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    tested = subprocess.run([*words, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    with Service(words, folder, dict(os.environ)) as service:
        wait_for_port(port, service.process)
        yield port
        service.stop()


@contextmanager
def caddy(folder: Path, upstream: int) -> Iterator[int]:
    """Run Caddy with our file, which signs its own certificate and has another port; yield its port."""
    port = free_port()
    text = CADDY.read_text()
    site = "{$MEMORYSERVER_DOMAIN:memory.example.org} {"
    assert site in text
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
    (folder / "Caddyfile").write_text(options + text.replace(site, f"{site}\n\ttls internal"))
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "MEMORYSERVER_DOMAIN": f"https://{HOST}:{port}",
        "MEMORYSERVER_UPSTREAM": f"127.0.0.1:{upstream}",
    }
    words = ["--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    checked = subprocess.run(
        ["caddy", "validate", *words], env=environment, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    with Service(["caddy", "run", *words], folder, environment) as service:
        wait_for_port(port, service.process)
        wait_for_certificate(port)
        yield port
        service.stop()


PROXIES = {"nginx": nginx, "caddy": caddy}


@pytest.fixture(scope="module", params=sorted(PROXIES))
def proxy(request: pytest.FixtureRequest, server: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with ExitStack() as stack:
        yield stack.enter_context(PROXIES[request.param](tmp_path_factory.mktemp(request.param), server.port))


class Https(http.client.HTTPSConnection):
    """A connection to the proxy on this machine that asks for the site's certificate by name (SNI)."""

    def __init__(self, port: int) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__("127.0.0.1", port, timeout=60, context=context)
        self._named = context

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._named.wrap_socket(self.sock, server_hostname=HOST)


def wait_for_certificate(port: int) -> None:
    """Wait until Caddy has signed its certificate, which it does after it has begun to listen."""
    deadline = time.monotonic() + 60
    while True:
        connection = Https(port)
        try:
            connection.connect()
        except ssl.SSLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
        finally:
            connection.close()


def asked(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = Https(port)
    given = {"Host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        connection.request(method, path, body or None, given)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def sent_by_curl(proxy: int, server: Web, *words: str) -> tuple[str, str]:
    """Return the answer to calls that curl sends, and its status with its type.

    Only where curl itself fails it is run again: over HTTP/2, curl 7.88 stops sending at the beginning of an error's
    response, and sometimes sees the stream end before it has the rest. An answer that has arrived counts.
    """
    known = ["curl", "-sk", "-w", "\n%{http_code} %{content_type}", "--resolve", f"{HOST}:{proxy}:127.0.0.1"]
    address = f"https://{HOST}:{proxy}/api/v1/trajectory/calls"
    answer, kind = "", "000 "
    for _ in range(4):
        said = subprocess.run(
            [*known, "-H", f"Authorization: Bearer {server.token}", *words, address],
            capture_output=True,
            text=True,
            check=False,
        )
        answer, _, kind = said.stdout.rpartition("\n")
        if said.returncode == 0:
            break
    return answer, kind


def test_page_comes_through_with_cookies_for_tls_alone(proxy: int) -> None:
    status, headers, _ = asked(proxy, "GET", "/login/")

    assert status == 200
    assert "secure" in headers["Set-Cookie"].lower()
    assert headers["Strict-Transport-Security"].startswith("max-age=")


def test_server_learns_the_scheme_and_the_host_from_the_proxy(proxy: int) -> None:
    """A redirect to another host or to plain HTTP would show that it does not."""
    status, headers, _ = asked(proxy, "GET", "/")

    assert (status, headers["Location"]) == (302, "/login/?next=/")


def test_server_learns_the_clients_address_and_no_forged_one(proxy: int, server: Web) -> None:
    token = f"Bearer {server.token}"

    status, _, _ = asked(proxy, "GET", "/api/v1/search?q=x", Authorization=token, X_Forwarded_For="203.0.113.9")

    with psycopg.connect(server.database) as connection:
        assert connection.execute("SELECT addresses::text FROM accounts_apitoken").fetchall() == [("{127.0.0.1}",)]
    assert status == 200


def test_largest_request_passes(proxy: int, server: Web) -> None:
    headers = {"Authorization": f"Bearer {server.token}", "Content_Type": "application/json"}

    status, _, answer = asked(proxy, "POST", "/api/v1/trajectory/calls", b" " * max_request_bytes(), **headers)

    assert status == json.loads(answer)["status"] == 422  # it was read to its end, and has nothing in it


TOO_LARGE = {
    "title": "Request Entity Too Large",
    "status": 413,
    "detail": "the request is larger than this server accepts; send smaller batches",
}


def test_client_that_sends_all_learns_that_its_request_is_too_large(proxy: int, server: Web) -> None:
    """It reads only afterwards, and sees no closed connection instead."""
    headers = {"Authorization": f"Bearer {server.token}", "Content_Type": "application/json"}

    status, received, answer = asked(
        proxy, "POST", "/api/v1/trajectory/calls", b" " * (max_request_bytes() + 1), **headers
    )

    assert (status, received["Content-Type"], json.loads(answer)) == (413, "application/problem+json", TOO_LARGE)


@pytest.mark.parametrize("size", [max_request_bytes() + 1, 3 * max_request_bytes()], ids=["just", "far"])
def test_curl_learns_that_its_request_is_too_large(proxy: int, server: Web, tmp_path: Path, size: int) -> None:
    """It reads the response while it sends. What is far too large, the proxy itself refuses."""
    body = tmp_path / "body"
    body.write_bytes(b" " * size)

    answer, kind = sent_by_curl(proxy, server, "-H", "Content-Type: application/json", "--data-binary", f"@{body}")

    assert (json.loads(answer), kind) == (TOO_LARGE, "413 application/problem+json")


def test_client_that_does_not_say_how_much_it_sends_learns_that_it_is_too_large(
    proxy: int, server: Web, tmp_path: Path
) -> None:
    body = tmp_path / "body"
    body.write_bytes(b" " * (REFUSED_BODY_LIMITS + 1) * max_request_bytes())

    answer, kind = sent_by_curl(proxy, server, "-H", "Transfer-Encoding: chunked", "-X", "POST", "-T", str(body))

    # Caddy cuts the request off. The server may be the first to answer, that what has arrived is not valid JSON.
    assert kind in ("413 application/problem+json", "422 application/problem+json")
    assert kind[:3] == "422" or json.loads(answer) == TOO_LARGE


def test_client_learns_that_its_token_is_unknown_while_it_sends_much(proxy: int) -> None:
    status, headers, _ = asked(
        proxy, "POST", "/api/v1/trajectory/calls", b" " * max_request_bytes(), Authorization="Bearer msv_unknown"
    )

    assert (status, headers["Content-Type"]) == (401, "application/problem+json")


def test_longest_question_passes(proxy: int, server: Web) -> None:
    question = "%E6%BC%A2" * 2000

    status, _, _ = asked(proxy, "GET", f"/api/v1/search?q={question}", Authorization=f"Bearer {server.token}")

    assert status == 200


def test_export_is_streamed(proxy: int, server: Web) -> None:
    status, headers, body = asked(proxy, "GET", "/api/v1/export", Authorization=f"Bearer {server.token}")

    assert (status, headers["Content-Type"]) == (200, "application/x-ndjson")
    assert json.loads(body.splitlines()[0])


def test_files_name_the_servers_port_and_limit() -> None:
    """That the proxies' units are those of their manuals is shown by the requests above."""
    assert f"client_max_body_size {REFUSED_BODY_LIMITS * max_request_bytes() // 2**20}m;" in NGINX.read_text()
    assert f"max_size {REFUSED_BODY_LIMITS * max_request_bytes() // 2**20}MiB" in CADDY.read_text()
    assert f"> {REFUSED_BODY_LIMITS * max_request_bytes()}`" in CADDY.read_text()
    assert re.findall(r"127\.0\.0\.1:(\d+)", NGINX.read_text() + CADDY.read_text()) == ["8000", "8000"]
