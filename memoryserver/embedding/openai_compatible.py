"""Embedding by an OpenAI-compatible `/v1/embeddings` endpoint."""

from __future__ import annotations

import http.client
import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from memoryserver import http_error
from memoryserver.embedding.base import EmbeddingModelError, Vector
from memoryserver.embedding.services import RequestingService

TIMEOUT = 30.0
ATTEMPTS = 3
_FIRST_PAUSE = 0.5
_TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class OpenAICompatibleService(RequestingService):
    """The model EMBEDDING_MODEL at the address EMBEDDING_URL (up to and without `/embeddings`).

    A request has a timeout (30 s) and at most 64 texts. It is sent up to three times if the error may be temporary: no
    response, or a status such as 429 or 503. Any other error raises EmbeddingModelError at once.
    """

    def __init__(self, url: str | None = None, model_name: str | None = None, api_key: str | None = None) -> None:
        super().__init__(model_name)
        self._url = (url or settings.EMBEDDING_URL).rstrip("/") + "/embeddings"
        self._api_key = settings.EMBEDDING_API_KEY if api_key is None else api_key

    def load(self) -> None:
        """Check that the endpoint responds."""
        _ = self.dimension

    def _request(self, texts: Sequence[str]) -> list[Vector]:
        # Some servers reject empty texts.
        body = json.dumps({"model": self._model_name, "input": [text or " " for text in texts]}).encode()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _vectors(self._post(body), len(texts))
            except _TemporaryError as error:
                if attempt == ATTEMPTS:
                    raise EmbeddingModelError(f"{self._url} failed {ATTEMPTS} times: {error}") from error
                time.sleep(_FIRST_PAUSE * 2 ** (attempt - 1))
        raise AssertionError("unreachable")

    def _post(self, body: bytes) -> Any:
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})  # noqa: S310
        if self._api_key:
            request.add_header("Authorization", f"Bearer {self._api_key}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310  (the operator's own setting)
                return json.load(response)
        except urllib.error.HTTPError as error:
            reason = http_error.reason(error)
            if error.code in _TEMPORARY:
                raise _TemporaryError(reason) from error
            raise EmbeddingModelError(f"{self._url} refused: {reason}") from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _TemporaryError(str(error)) from error


class _TemporaryError(Exception):
    """An error that may not occur at the next attempt."""


def _vectors(response: Any, count: int) -> list[Vector]:
    """Return the vectors in the order of the texts; the response may have them in another order."""
    try:
        rows = sorted(response["data"], key=lambda row: row["index"])
        vectors = [[float(number) for number in row["embedding"]] for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise EmbeddingModelError(f"unexpected response of the embedding endpoint: {error!r}") from error
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1:
        raise EmbeddingModelError(
            f"the embedding endpoint returned {len(vectors)} vectors for {count} texts, or vectors of different lengths"
        )
    if not all(math.isfinite(number) for vector in vectors for number in vector):
        raise EmbeddingModelError("the embedding endpoint returned numbers that are not finite")
    return vectors
