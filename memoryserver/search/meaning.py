"""The vector of a question: embedded once, within a time that a person waits, or not at all."""

from __future__ import annotations

import logging
import math
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from memoryserver import embedding
from memoryserver.embedding import EmbeddingModelError, EmbeddingService, Vector
from memoryserver.search.engine import Meaning
from memoryserver.vectors.models import Collection

logger = logging.getLogger(__name__)

MODEL_LOADING = "The embedding model is not loaded yet: found by words alone. Try again in a few seconds."
MODEL_FAILED = "The embedding model failed: found by words alone. The server's log has the reason."

DEADLINE = 5.0
"""Seconds that a search waits for the embedder; an endpoint that hangs must not hang searches."""

PAUSE = 30.0
"""Seconds for which an embedder that failed is not asked again by searches."""

CACHE_BYTES = 8 * 1024 * 1024
_OVERHEAD = 200  # bytes of an entry beside its text and numbers, roughly


@dataclass(frozen=True)
class Understood:
    """The question's meaning, None where only its words are known; and a note where that is not as asked."""

    meaning: Meaning | None
    note: str | None = None


def understand(query: str, asker: int | None, names: Sequence[str]) -> Understood:
    """The meaning of `query` for searching those of the collections `names` that hold vectors of the same model.

    `asker` is whose question it is. Never raises because of the embedder, and waits for it no longer than DEADLINE.
    """
    service = embedding.ready_service()
    if service is None:
        return Understood(None, MODEL_LOADING)
    try:
        vector = embedder.vector(service, asker, query)
    except EmbeddingModelError:
        return Understood(None, MODEL_FAILED)
    collections = list(Collection.objects.filter(name__in=names))
    own = (service.model_name, len(vector))
    fit = [collection for collection in collections if (collection.model, collection.dimension) == own]
    others = [collection for collection in collections if collection not in fit]
    note = _of_another_model(others, service.model_name) if others else None
    if others and not fit:
        return Understood(None, note)
    indexed = [collection.name for collection in fit if collection.indexed_at is not None]
    return Understood(Meaning(vector, service.model_name, [collection.name for collection in fit], indexed), note)


def _of_another_model(others: Sequence[Collection], model: str) -> str:
    held = ", ".join(f"{other.name} ({other.model})" for other in others)
    return (
        f"Vectors of another model than {model}: {held}. There, found by words alone. "
        "Run manage.py reembed, or set MEMORYSERVER_EMBEDDING_MODEL back."
    )


class QueryEmbedder:
    """Embeds questions, remembers their vectors, and leaves an embedder alone for a while that failed.

    What is remembered is bounded in bytes, and kept for each asker and model, so that from how quick an answer is
    nobody can tell what another one asked.
    """

    def __init__(self, cache_bytes: int = CACHE_BYTES, deadline: float = DEADLINE, pause: float = PAUSE) -> None:
        self._room = cache_bytes
        self._deadline = deadline
        self._pause = pause
        self._known: OrderedDict[tuple[int | None, str, str], array[float]] = OrderedDict()
        self._bytes = 0
        self._resting_until = 0.0
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="query-embedding")

    def vector(self, service: EmbeddingService, asker: int | None, query: str) -> Vector:
        """Raises EmbeddingModelError: it failed, took too long, gave what is no vector, or did so a moment ago."""
        key = (asker, service.model_name, query)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key].tolist()
            if time.monotonic() < self._resting_until:
                raise EmbeddingModelError(f"{service.model_name} failed less than {self._pause:.0f} s ago")
        try:
            vector = self._embedded(service, query)
        except EmbeddingModelError:
            logger.exception("query not embedded")
            with self._lock:
                self._resting_until = time.monotonic() + self._pause
            raise
        self._remember(key, vector)
        return vector

    def forget(self) -> None:
        """Forget every vector and failure."""
        with self._lock:
            self._known.clear()
            self._bytes = 0
            self._resting_until = 0.0

    def _embedded(self, service: EmbeddingService, query: str) -> Vector:
        try:
            vector = list(self._threads.submit(service.embed, query).result(self._deadline))
        except TimeoutError:
            raise EmbeddingModelError(f"{service.model_name} gave no vector within {self._deadline} s") from None
        if not vector or not all(map(math.isfinite, vector)):
            raise EmbeddingModelError(f"{service.model_name} gave a vector with numbers that are none")
        return vector

    def _remember(self, key: tuple[int | None, str, str], vector: Vector) -> None:
        packed = array("d", vector)
        with self._lock:
            if key not in self._known:
                self._bytes += _size(key, packed)
            self._known[key] = packed
            while self._bytes > self._room and self._known:
                self._bytes -= _size(*self._known.popitem(last=False))


def _size(key: tuple[int | None, str, str], vector: array[float]) -> int:
    return 4 * len(key[2]) + vector.itemsize * len(vector) + _OVERHEAD


embedder = QueryEmbedder()
"""That of this process."""
