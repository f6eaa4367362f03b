"""A real HTTP server for every channel of the delivery: it can fail in each way, and records what arrived."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.fakes.http_listener import listening

ROOT = "/api/v1"
Items = Callable[[Any], list[Any]]


@dataclass(frozen=True)
class Endpoint:
    """How the items are found in a body, what identifies one, and how a body is answered."""

    items: Items
    key: Callable[[Any], str]
    answer: Callable[[Any], Any]


def _results(items: Items) -> Callable[[Any], Any]:
    return lambda body: {"results": [{"id": item["id"], "status": "stored"} for item in items(body)]}


ENDPOINTS = {
    "/ghap/entries": Endpoint(
        lambda body: body["entries"], lambda item: str(item["id"]), _results(lambda body: body["entries"])
    ),
    "/capture/queue-files": Endpoint(
        lambda body: [body],
        lambda item: str(item["capture_id"]),
        lambda body: {"capture_id": body["capture_id"], "stored": 1, "known": 0},
    ),
    "/capture/contexts": Endpoint(
        lambda body: body["contexts"],
        lambda item: str(item["context_id"]),
        lambda body: {"received": len(body["contexts"]), "changed": 0},
    ),
    "/learnings": Endpoint(lambda body: [body], lambda item: str(item["content"]), lambda _: {"id": 1, "new": True}),
    "/observations": Endpoint(
        lambda body: body["observations"], lambda item: str(item["id"]), _results(lambda body: body["observations"])
    ),
    "/capture/compactions": Endpoint(
        lambda body: [body], lambda item: str(item["id"]), lambda body: {"id": body["id"], "new": True}
    ),
    "/trajectory/calls": Endpoint(
        lambda body: body["calls"], lambda item: str(item["id"]), _results(lambda body: body["calls"])
    ),
    "/trajectory/ends": Endpoint(
        lambda body: body["ends"], lambda item: str(item["id"]), _results(lambda body: body["ends"])
    ),
    "/context/deliveries": Endpoint(
        lambda body: body["deliveries"], lambda item: str(item["id"]), _results(lambda body: body["deliveries"])
    ),
}


@dataclass
class DeliveryServer:
    """`arrived` has the key of each accepted item, in order and as often as it came.

    While `status` is set every request is answered with it, `content` and `headers`; while `drops` is set no request
    is answered. A body with an item whose key is in `poison` is answered with 422, as the real server does.
    """

    url: str = ""
    arrived: list[str] = field(default_factory=list)
    requests: int = 0
    status: int = 0
    content: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    drops: bool = False
    poison: set[str] = field(default_factory=set)

    def recover(self) -> None:
        """Work from now on."""
        self.status, self.headers, self.drops, self.poison = 0, {}, False, set()

    def respond(self, path: str, body: Any) -> tuple[int, bytes]:
        """Return the status and the content of the answer."""
        self.requests += 1
        if self.status:
            return self.status, self.content
        endpoint = ENDPOINTS[path.removeprefix(ROOT)]
        keys = [endpoint.key(item) for item in endpoint.items(body)]
        if self.poison.intersection(keys):
            return 422, b'{"detail": "poisoned"}'
        self.arrived += keys
        return 200, json.dumps(endpoint.answer(body)).encode()


@contextmanager
def delivery_server() -> Iterator[DeliveryServer]:
    """The server, listening until the block ends."""
    server = DeliveryServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if server.drops:
                server.requests += 1
                self.close_connection = True
                return
            compressed = self.headers["Content-Encoding"] == "gzip"
            status, content = server.respond(self.path, json.loads(gzip.decompress(body) if compressed else body))
            self.send_response_only(status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Tests read what was asked from `requests` and `arrived`."""

    with listening(Handler) as server.url:
        yield server
