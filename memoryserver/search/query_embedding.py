"""Embedding of queries, with a cache and a deadline."""

from __future__ import annotations

import logging
import math
import threading
import time
from array import array
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memoryserver import embedding
from memoryserver.embedding import (
    Background,
    Embedding,
    EmbeddingModelError,
    EmbeddingService,
    EmbeddingUnavailableError,
    Vector,
    former,
)
from memoryserver.embedding.base import PendingTexts
from memoryserver.embedding.batching import Batcher
from memoryserver.embedding.shared.client import SharedService
from memoryserver.search.engine import QueryVector
from memoryserver.search.questions.preparation import SearchedCollection

logger = logging.getLogger(__name__)

MODEL_LOADING = (
    "Search by meaning is down: the embedding model is being loaded, or its process does not run. These results match "
    "words alone. Try again in a few seconds."
)
MODEL_FAILED = (
    "Search by meaning is down: the embedding model failed. These results match words alone. Administrators: see the "
    "server log."
)

DEADLINE = 5.0
"""Seconds that a search waits for the embedding service, so that an endpoint that hangs does not block searches."""

PAUSE = 30.0
"""Seconds for which searches do not call an embedding service that failed."""

CACHE_BYTES = 8 * 1024 * 1024
_OVERHEAD = 200  # bytes of a cache entry besides its text and numbers, roughly


@dataclass(frozen=True)
class _Cached:
    """A vector in numbers of eight bytes, and its tokens, if it has any."""

    numbers: array[float]
    tokens: bytes

    @classmethod
    def of(cls, vector: Vector) -> _Cached:
        return cls(array("d", vector), vector.tokens if isinstance(vector, Embedding) else b"")

    @property
    def vector(self) -> Vector:
        numbers = self.numbers.tolist()
        return Embedding(numbers, tokens=self.tokens) if self.tokens else numbers

    @property
    def size(self) -> int:
        return self.numbers.itemsize * len(self.numbers) + len(self.tokens)


_Key = tuple[int | None, str, str]  # user, model and query


@dataclass
class Begun:
    """Queries that are being embedded: those of `keys` whose vectors are not `known`.

    Without `request` and `error` nothing was begun, since the service failed a moment ago.
    """

    service: EmbeddingService
    keys: Sequence[_Key]
    known: dict[_Key, Vector]
    missing: Sequence[_Key]
    request: PendingTexts | None = None
    error: EmbeddingModelError | None = None

    def is_for(self, service: EmbeddingService, user_id: int | None, query: str) -> bool:
        """Return whether this is the query's vector by `service`."""
        return self.keys == [(user_id, service.model_name, query)]


@dataclass(frozen=True)
class QueryEmbedding:
    """The query's vector, None if the search can only be lexical, and a note if that was not requested.

    `background` is that of the vector's model.
    """

    vector: QueryVector | None
    note: str | None = None
    background: Background | None = None


def begin(query: str, user_id: int | None) -> Begun | None:
    """Have the configured service embed a query; None if it is not ready. Nothing is asked of the database."""
    service = embedding.ready_service()
    return None if service is None else embedder.begin(service, user_id, [query])


def embed_query(
    forms: Sequence[str],
    user_id: int | None,
    collections: Sequence[SearchedCollection],
    begun: Sequence[Begun | None] = (),
) -> QueryEmbedding:
    """Embed a query to search those of `collections` that hold vectors of the same model.

    `forms` are the query and other wordings of it, whose vectors are averaged; `begun` has what `begin` returned for
    them. Does not raise if the embedding service fails, and waits at most DEADLINE for each form.
    """
    configured = embedding.ready_service()
    if configured is None:
        return QueryEmbedding(None, MODEL_LOADING)
    service = _service_for(collections, configured)
    try:
        vectors = _vectors(service, user_id, forms, begun)
        vector = _mean(vectors)
        background = embedding.background(service)
    except EmbeddingUnavailableError:
        return QueryEmbedding(None, MODEL_LOADING)
    except EmbeddingModelError:
        return QueryEmbedding(None, MODEL_FAILED)
    current = (service.model_name, len(vector))
    matching = [collection for collection in collections if (collection.model, collection.dimension) == current]
    others = [collection for collection in collections if collection not in matching]
    note = _other_model_note(others, service.model_name) if others else None
    if others and not matching:
        return QueryEmbedding(None, note)
    indexed = [collection.name for collection in matching if collection.is_indexed]
    searched = [collection.name for collection in matching]
    tokens = [form.tokens for form in vectors if isinstance(form, Embedding) and form.tokens]
    return QueryEmbedding(QueryVector(vector, service.model_name, searched, indexed, tokens), note, background)


def _vectors(
    service: EmbeddingService, user_id: int | None, forms: Sequence[str], begun: Sequence[Begun | None]
) -> list[Vector]:
    """Return the vector of each form. Raises EmbeddingModelError."""
    parts = [
        part if part is not None and part.is_for(service, user_id, form) else embedder.begin(service, user_id, [form])
        for form, part in zip_longest(forms, begun)
    ]
    return [vector for part in parts for vector in embedder.vectors_of(part)]


def _service_for(collections: Sequence[SearchedCollection], configured: EmbeddingService) -> EmbeddingService:
    """Return the service of the collections' model: the former one until `manage.py reembed` has switched them."""
    models = Counter(collection.model for collection in collections)
    if not models or configured.model_name in models:
        return configured
    most_common = models.most_common(1)[0][0]
    return former.former_models.ready_service(most_common) or configured


def _mean(vectors: Sequence[Vector]) -> Vector:
    """Return a vector in the mean direction of `vectors`. Raises EmbeddingModelError if their lengths differ."""
    if len(vectors) == 1:
        return vectors[0]
    if len({len(vector) for vector in vectors}) != 1:
        raise EmbeddingModelError("the embedding service returned vectors of different lengths")
    mean = [0.0] * len(vectors[0])
    for vector in vectors:
        length = math.hypot(*vector) or 1.0
        mean = [total + number / length for total, number in zip(mean, vector, strict=True)]
    return mean


def _other_model_note(others: Sequence[SearchedCollection], model: str) -> str:
    listed = ", ".join(f"{collection.name} ({collection.model})" for collection in others)
    return (
        f"Collections with vectors of another model than {model}: {listed}. They are searched lexically only. "
        "Run manage.py reembed, or set MEMORYSERVER_EMBEDDING_MODEL back."
    )


class QueryEmbedder:
    """Embeds queries, caches their vectors, and pauses after a failure of the embedding service.

    The cache is bounded in bytes and keyed by user and model, so that response times reveal nothing about other users'
    queries.
    """

    def __init__(self, cache_bytes: int = CACHE_BYTES, deadline: float = DEADLINE, pause: float = PAUSE) -> None:
        self._capacity = cache_bytes
        self._deadline = deadline
        self._pause = pause
        self._cache: OrderedDict[_Key, _Cached] = OrderedDict()
        self._bytes = 0
        self._paused_until = 0.0
        self._lock = threading.Lock()
        self._batcher = Batcher()

    def vectors(self, service: EmbeddingService, user_id: int | None, queries: Sequence[str]) -> list[Vector]:
        """Begin with `queries` and return their vectors as `vectors_of` does."""
        return self.vectors_of(self.begin(service, user_id, queries))

    def begin(self, service: EmbeddingService, user_id: int | None, queries: Sequence[str]) -> Begun:
        """Have those of `queries` embedded whose vectors are not known. What goes wrong, `vectors_of` raises."""
        keys = [(user_id, service.model_name, query) for query in queries]
        known = self._cached(keys)
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        begun = Begun(service, keys, known, missing)
        if missing and not self._pauses():
            try:
                texts = [query for *_, query in missing]
                if isinstance(service, SharedService):  # its process has a queue for all of us
                    begun.request = service.begin(texts)
                else:
                    begun.request = self._batcher.begin(service, texts)
            except EmbeddingModelError as error:
                begun.error = error
        return begun

    def vectors_of(self, begun: Begun) -> list[Vector]:
        """Return the vectors of the queries, in their order.

        Raises EmbeddingModelError if the service fails, exceeds the deadline, returns an invalid vector, or did so less
        than the pause ago.
        """
        known = begun.known | (self._embedded(begun) if begun.missing else {})
        return [known[key] for key in begun.keys]

    def _pauses(self) -> bool:
        with self._lock:
            return time.monotonic() < self._paused_until

    def _cached(self, keys: Sequence[_Key]) -> dict[_Key, Vector]:
        with self._lock:
            for key in keys:
                if key in self._cache:
                    self._cache.move_to_end(key)
            return {key: self._cache[key].vector for key in keys if key in self._cache}

    def _embedded(self, begun: Begun) -> dict[_Key, Vector]:
        if begun.request is None and begun.error is None:
            raise EmbeddingModelError(f"{begun.service.model_name} failed less than {self._pause:.0f} s ago")
        try:
            vectors = self._received(begun)
        except EmbeddingUnavailableError:
            raise  # it costs no time to ask again
        except EmbeddingModelError:
            logger.exception("query not embedded")
            with self._lock:
                self._paused_until = time.monotonic() + self._pause
            raise
        for key, vector in zip(begun.missing, vectors, strict=True):
            self._store(key, vector)
        return dict(zip(begun.missing, vectors, strict=True))

    def forget(self) -> None:
        """Clear the cache and the pause."""
        with self._lock:
            self._cache.clear()
            self._bytes = 0
            self._paused_until = 0.0

    def _received(self, begun: Begun) -> list[Vector]:
        name = begun.service.model_name
        try:
            if begun.request is None:
                assert begun.error is not None
                raise begun.error
            vectors = begun.request.vectors(self._deadline)
        except TimeoutError:
            raise EmbeddingModelError(f"{name} returned no vector within {self._deadline} s") from None
        if not all(vector and all(map(math.isfinite, vector)) for vector in vectors):
            raise EmbeddingModelError(f"{name} returned a vector that is empty or not finite")
        return vectors

    def _store(self, key: _Key, vector: Vector) -> None:
        packed = _Cached.of(vector)
        with self._lock:
            if key not in self._cache:
                self._bytes += _size(key, packed)
            self._cache[key] = packed
            while self._bytes > self._capacity and self._cache:
                self._bytes -= _size(*self._cache.popitem(last=False))


def _size(key: _Key, cached: _Cached) -> int:
    return 4 * len(key[2]) + cached.size + _OVERHEAD


embedder = QueryEmbedder()
"""The embedder of this process."""
