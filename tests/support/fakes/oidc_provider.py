"""A small OpenID Connect provider in a process of its own: discovery, code flow with PKCE, signed id tokens, userinfo.

    python -m tests.support.fakes.oidc_provider PORT PERSONS

PERSONS is JSON: claims by the name that the sign-in page offers. A claim `fault` makes the provider misbehave:
`signature` (another key), `audience`, `issuer`, `expired`, `other subject` (userinfo of somebody else),
`no id token`, `nonsense`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "memory-client", "a secret of the client's"
ROOT = Path(__file__).resolve().parents[3]
Persons = Mapping[str, Mapping[str, Any]]


class Provider(ThreadingHTTPServer):
    """The state of the provider: its keys, persons, and the codes and tokens that it gave out."""

    def __init__(self, port: int, persons: Persons) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.issuer, self.persons = f"http://127.0.0.1:{port}", persons
        self.key, self.other_key = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
        self.codes: dict[str, tuple[str, dict[str, str]]] = {}
        self.tokens: dict[str, str] = {}

    def id_token(self, claims: dict[str, Any], fault: str) -> str:
        """Return the signed claims."""
        now = int(time.time())
        about = {
            "iss": "https://elsewhere.example" if fault == "issuer" else self.issuer,
            "aud": "another-client" if fault == "audience" else CLIENT,
            "iat": now - 60,
            "exp": now - 30 if fault == "expired" else now + 300,
        }
        key = self.other_key if fault == "signature" else self.key
        return jwt.encode(about | claims, key, algorithm="RS256", headers={"kid": "one"})


class Handler(BaseHTTPRequestHandler):
    """The endpoints."""

    server: Provider

    def do_GET(self) -> None:
        """Answer for discovery, the keys, the sign-in page and userinfo."""
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path == "/.well-known/openid-configuration":
            endpoints = {
                "authorization_endpoint": "authorize",
                "token_endpoint": "token",
                "userinfo_endpoint": "userinfo",
                "jwks_uri": "jwks",
            }
            urls = {name: f"{self.server.issuer}/{path}" for name, path in endpoints.items()}
            self._json({"issuer": self.server.issuer, **urls})
        elif address.path == "/jwks":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.server.key.public_key()))
            self._json({"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]})
        elif address.path == "/authorize":
            self._page(query)
        elif address.path == "/favicon.ico":
            self._send(b"", "image/x-icon", 200)
        elif address.path == "/userinfo":
            name = self.server.tokens.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
            self._json(self._claims(name, userinfo=True) if name else {"error": "invalid_token"}, 200 if name else 401)
        else:
            self._json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        """Answer for the choice of a person, and for the exchange of a code."""
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        if address.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            answer = {"state": query["state"]}
            if form["person"] == "nobody":
                answer["error"] = "access_denied"
            else:
                answer["code"] = secrets.token_urlsafe(16)
                self.server.codes[answer["code"]] = (form["person"], query)
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?{urlencode(answer)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._exchange(form)

    def _page(self, query: dict[str, str]) -> None:
        if query.get("client_id") != CLIENT or query.get("response_type") != "code":
            return self._json({"error": "invalid_request"}, 400)
        names = "".join(
            f'<button name="person" value="{escape(name)}">{escape(name)}</button>'
            for name in [*self.server.persons, "nobody"]
        )
        return self._send(f'<h1>Who are you?</h1><form method="post">{names}</form>'.encode(), "text/html", 200)

    def _exchange(self, form: dict[str, str]) -> None:
        name, asked = self.server.codes.pop(form.get("code", ""), ("", {}))
        given = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode()
        if (
            not name
            or (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET)
            or form.get("redirect_uri") != asked["redirect_uri"]
            or given.rstrip("=") != asked["code_challenge"]
        ):
            return self._json({"error": "invalid_grant"}, 400)
        fault = str(self.server.persons[name].get("fault", ""))
        token = secrets.token_urlsafe(16)
        self.server.tokens[token] = name
        if fault == "nonsense":
            return self._json(["access_token"])
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": 300}
        signed = {} if fault == "no id token" else {"id_token": self.server.id_token(self._claims(name), fault)}
        return self._json(answer | signed)

    def _claims(self, name: str, *, userinfo: bool = False) -> dict[str, Any]:
        claims = {key: value for key, value in self.server.persons[name].items() if key != "fault"}
        if userinfo and self.server.persons[name].get("fault") == "other subject":
            claims["sub"] = "somebody else"
        return claims

    def _json(self, value: object, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), "application/json", status)

    def _send(self, content: bytes, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Write nothing."""


@contextmanager
def provider(persons: Persons) -> Iterator[str]:
    """Run the provider; yield its issuer."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "tests.support.fakes.oidc_provider", str(port), json.dumps(persons)]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        deadline = time.monotonic() + 30
        while not _responds(port):
            assert process.poll() is None, "the provider did not start"
            assert time.monotonic() < deadline, "the provider does not respond"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def choose(address: str, person: str) -> str:
    """Choose `person` on the provider's page at `address`; return the path and query that it leads the browser to."""
    request = urllib.request.Request(address, urlencode({"person": person}).encode())
    try:
        urllib.request.build_opener(_Stay).open(request, timeout=10)
    except urllib.error.HTTPError as answer:
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"
    raise AssertionError("the provider leads nowhere")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: Any) -> None:
        """Follow no redirect."""


def _responds(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/jwks", timeout=5)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    Provider(int(sys.argv[1]), json.loads(sys.argv[2])).serve_forever()
