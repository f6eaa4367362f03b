"""A reranker that speaks the form of Cohere's and Jina's APIs, in a thread of the test's process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any


class RerankHandler(BaseHTTPRequestHandler):
    """Prefers documents with more letters `x`. Subclasses set what else it does.

    `requests` has the bodies and `authorizations` the headers that it got.
    """

    requests: list[dict[str, Any]]
    authorizations: list[str | None]
    status = 200
    delay = 0.0
    answer: Callable[[list[dict[str, Any]]], Any] = staticmethod(lambda results: {"results": results[::-1]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append(request)
        self.authorizations.append(self.headers["Authorization"])
        time.sleep(self.delay)
        scores = [document.count("x") / 10 for document in request["documents"]]
        results = [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]
        body = self.answer(results)
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def log_message(self, *args: object) -> None:
        pass


def handler(**changes: Any) -> type[RerankHandler]:
    """A handler of its own, with these attributes."""
    if "answer" in changes:
        changes["answer"] = staticmethod(changes["answer"])
    return type("Handler", (RerankHandler,), {"requests": [], "authorizations": [], **changes})
