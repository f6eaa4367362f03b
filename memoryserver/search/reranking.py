"""The optional second stage: a reranker endpoint orders the best results by reading them beside the query.

The endpoint speaks the form that Cohere's and Jina's APIs share and local servers copy: a POST of `query`, `documents`
and `top_n` to RERANK_URL is answered by `results`, each with the `index` of a document and its `relevance_score`.
"""

from __future__ import annotations

import http.client
import json
import logging
import math
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any, TypeVar

from django.conf import settings

from memoryserver import http_error
from memoryserver.common.text import shorten

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

DEPTH = 50
"""Results that are ordered; those after them keep their places."""

TIMEOUT = 3.0
"""Seconds that a search waits for the endpoint."""

PAUSE = 30.0
"""Seconds for which no search calls an endpoint that failed."""

_MAX_DOCUMENT = 2_000  # characters of a document
_MAX_RESPONSE = 1_000_000  # bytes


class RerankError(Exception):
    """The endpoint failed; the text says why."""


class Reranker:
    """Orders results by the endpoint, and leaves them as they are for a while after it failed; thread-safe."""

    def __init__(self, timeout: float = TIMEOUT, pause: float = PAUSE) -> None:
        self._timeout = timeout
        self._pause = pause
        self._paused_until = 0.0
        self._lock = threading.Lock()

    def enabled(self) -> bool:
        """Return whether an endpoint is set and not paused."""
        with self._lock:
            return bool(settings.RERANK_URL) and time.monotonic() >= self._paused_until

    def order(self, query: str, results: Sequence[Result], documents: Sequence[str]) -> list[Result]:
        """Return `results`, whose texts are `documents`, by relevance; in their own order if the endpoint fails.

        Those that the endpoint does not name come last, in their own order.
        """
        if not results:
            return []
        try:
            places = _places(self._post(query, documents), len(documents))
        except RerankError as error:
            logger.warning("results not reranked", extra={"reason": str(error), "pause_seconds": self._pause})
            with self._lock:
                self._paused_until = time.monotonic() + self._pause
            return list(results)
        rest = [place for place in range(len(results)) if place not in set(places)]
        return [results[place] for place in [*places, *rest]]

    def forget(self) -> None:
        """End the pause."""
        with self._lock:
            self._paused_until = 0.0

    def _post(self, query: str, documents: Sequence[str]) -> Any:
        body: dict[str, Any] = {
            "query": query,
            "documents": [shorten(document, _MAX_DOCUMENT) for document in documents],
            "top_n": len(documents),
        }
        if settings.RERANK_MODEL:
            body["model"] = settings.RERANK_MODEL
        headers = {"Content-Type": "application/json"}
        if settings.RERANK_API_KEY:
            headers["Authorization"] = f"Bearer {settings.RERANK_API_KEY}"
        request = urllib.request.Request(settings.RERANK_URL, json.dumps(body).encode(), headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:  # noqa: S310  (the operator's own setting)
                return json.loads(response.read(_MAX_RESPONSE))
        except urllib.error.HTTPError as error:
            raise RerankError(http_error.reason(error)) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise RerankError(str(error)) from error


def _places(response: Any, count: int) -> list[int]:
    """Return the places of the documents in the response, most relevant first; equal scores in their own order."""
    try:
        scores = {int(row["index"]): float(row["relevance_score"]) for row in response["results"]}
    except (KeyError, TypeError, ValueError) as error:
        raise RerankError(f"unexpected response: {error!r}") from error
    if not scores or not all(0 <= place < count and math.isfinite(score) for place, score in scores.items()):
        raise RerankError("unexpected response: no results, an unknown index, or a score that is not finite")
    return sorted(scores, key=lambda place: (-scores[place], place))


reranker = Reranker()
"""The reranker of this process."""
