"""The tools over HTTP for a team. The process has no token and no files, so any number can run behind a proxy.

Each request has its caller's token, which is sent on to the server's API. The server decides what the caller may see.
"""

from __future__ import annotations

import json
import re
import socket
import sys
from http import HTTPStatus

import mcp_types as types
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from memorycli.delivery import connection
from memorycli.errors import CommandError, UsageError
from memorycli.mcp import logfile, messages, serving
from memorycli.mcp.place import SECONDS, Place
from memoryserver.client.http import Client

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^:\s\[\]/]+):(?P<port>[0-9]{1,5})")
_TOKEN = re.compile(rb"bearer +([!-~]{1,500})", re.IGNORECASE)
_UNAUTHORIZED = (
    'No token: send the memory server\'s token as the header "Authorization: Bearer msv_…" (see memory login).'
)
_SHUTDOWN_SECONDS = 5


def serve(address: str, server: str | None, allowed: list[str]) -> int:
    """Serve at `address` (HOST:PORT, port 0 for any) for the memory server at `server`, until Ctrl-C or SIGTERM.

    Raises CommandError if the address is invalid or cannot be listened on.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match["port"]) > 65_535:
        raise UsageError(f"{address!r} is not an address like 127.0.0.1:8765")
    url = connection.client(server or connection.address(), "unused").url
    host = match["host"]
    app = application(url, _security(host, allowed))
    with _listen(host.strip("[]"), int(match["port"])) as listening:
        logfile.start()
        port = listening.getsockname()[1]
        print(f"memory: tools for agents at http://{host}:{port}{PATH}, of {url}", file=sys.stderr, flush=True)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def application(url: str, security: TransportSecuritySettings) -> ASGIApp:
    """Return the ASGI application for the memory server at `url`."""

    async def place_of(context: serving.Context, params: types.InputResponseRequestParams) -> Place:
        request = context.request
        assert isinstance(request, Request), "a request over HTTP came without its headers"
        return Place(caller=Client(url, _token(request.scope) or "", timeout=SECONDS))

    app = serving.build(place_of, on_laptop=False).streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, json_response=True, transport_security=security
    )
    return _RequireToken(_ParseMessage(app))


class _RequireToken:
    """Middleware that rejects requests without a token."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _token(scope):
            await self._app(scope, receive, send)
            return
        body = json.dumps({"title": "Unauthorized", "status": 401, "detail": _UNAUTHORIZED}).encode()
        headers = [(b"content-type", b"application/problem+json"), (b"www-authenticate", b"Bearer")]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class _ParseMessage:
    """Middleware that passes on the one message of a request, cleaned, and answers what is not a message."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await _body(Request(scope, receive))
        parsed = messages.too_long(b"") if body is None else messages.parse_one(body)
        if isinstance(parsed, messages.Refused):
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if body is None else HTTPStatus.BAD_REQUEST
            response = Response(messages.encode(parsed.error), status, media_type="application/json")
            await response(scope, receive, send)
            return
        await self._app(scope, _replaying(messages.encode(parsed), receive), send)


async def _body(request: Request) -> bytes | None:
    """Return the body of `request`, None if it has more than `messages.MAX_BYTES`."""
    announced = request.headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced) > messages.MAX_BYTES:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > messages.MAX_BYTES:
            return None
    return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first gives `body` as the whole request."""
    events: list[ASGIMessage] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> ASGIMessage:
        return events.pop() if events else await receive()

    return replay


def _token(scope: Scope) -> str | None:
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    match = _TOKEN.fullmatch(values[0]) if len(values) == 1 else None
    return match[1].decode("ascii") if match else None


def _security(host: str, allowed: list[str]) -> TransportSecuritySettings:
    """Return the host names and origins that are allowed, which protects browsers from DNS rebinding."""
    names = [*(_LOOPBACK if host in _LOOPBACK else (host,)), *allowed]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[*origins, *(f"{origin}:*" for origin in origins)],
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"{host} port {port} cannot be listened on: {reason}") from error
