"""Texts that several threads want embedded at the same time, in one call of the model.

A forward pass of eight short questions costs about three times one of a single question, and threads that each run
their own compete for the cores and the interpreter. So whatever waits when a thread is free goes into its next pass.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from time import monotonic

from memoryserver.embedding import passes
from memoryserver.embedding.base import EmbeddingModelError, EmbeddingService, Vector

THREADS = 2
"""Measured with eight clients on two busy cores: 54 questions a second, 40 by one thread, 30 without batches."""

MAX_BATCH = 16
"""Texts in one call, so that the first of a long queue does not wait for the last."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A text, and its vector with the seconds of the forward pass that computed it."""

    service: EmbeddingService
    text: str
    future: Future[tuple[Vector, float]] = field(default_factory=Future)


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts that are being embedded. One that is dropped is embedded nonetheless."""

    waiting: Sequence[_Waiting]

    def vectors(self, timeout: float) -> list[Vector]:
        """Return the vectors of the texts, in their order.

        Raises EmbeddingModelError if the service fails at one of them, TimeoutError after `timeout` seconds.
        """
        end = monotonic() + timeout
        try:
            results = [item.future.result(max(end - monotonic(), 0)) for item in self.waiting]
        finally:
            for item in self.waiting:
                item.future.cancel()  # has no effect on one that is done or being embedded
        passes.add(max((seconds for _, seconds in results), default=0.0))  # mostly they were in one
        return [vector for vector, _ in results]


class Batcher:
    """Embeds texts in batches of what waits; thread-safe. Its threads start at the first call, after any fork."""

    def __init__(self, threads: int = THREADS) -> None:
        self._queue: queue.SimpleQueue[_Waiting] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="query-embedding")

    def vectors(self, service: EmbeddingService, texts: Sequence[str], deadline: float) -> list[Vector]:
        """Begin with `texts` and return their vectors as `Batch.vectors` does."""
        return self.begin(service, texts).vectors(deadline)

    def begin(self, service: EmbeddingService, texts: Sequence[str]) -> Batch:
        """Have `texts` embedded; meanwhile the caller can do something else."""
        batch = Batch([_Waiting(service, text) for text in texts])
        for item in batch.waiting:
            self._queue.put(item)
        self._threads.submit(self._embed_waiting)
        return batch

    def _embed_waiting(self) -> None:
        """Embed up to MAX_BATCH of the texts that wait; the call submitted for a text that is done finds nothing."""
        items: list[_Waiting] = []
        while len(items) < MAX_BATCH:
            try:
                items.append(self._queue.get_nowait())
            except queue.Empty:
                break
        if len(items) == MAX_BATCH:
            self._threads.submit(self._embed_waiting)  # those that are left may have come without a call of their own
        for service, same in groupby(items, key=lambda item: item.service):
            _embed(service, [item for item in same if item.future.set_running_or_notify_cancel()])


def _embed(service: EmbeddingService, items: Sequence[_Waiting]) -> None:
    if not items:
        return
    try:
        vectors, seconds = _embedded(service, items)
    except EmbeddingModelError as error:
        _embed_each(service, items, error)
    except Exception as error:  # noqa: BLE001  (it is raised where the vector is waited for)
        for item in items:
            item.future.set_exception(error)
    else:
        for item, vector in zip(items, vectors, strict=True):
            item.future.set_result((vector, seconds))


def _embedded(service: EmbeddingService, items: Sequence[_Waiting]) -> tuple[list[Vector], float]:
    """Return the vectors, and the seconds of the forward pass: of the whole call, if the service tells no others."""
    started = monotonic()
    with passes.measured() as spent:
        vectors = service.embed_batch([item.text for item in items])
    seconds = spent.seconds or monotonic() - started
    if len(vectors) != len(items):
        raise EmbeddingModelError(f"{service.model_name} returned {len(vectors)} vectors for {len(items)} texts")
    return vectors, seconds


def _embed_each(service: EmbeddingService, items: Sequence[_Waiting], error: EmbeddingModelError) -> None:
    """Embed each of several `items` alone, so that a text that cannot be embedded fails no other one."""
    if len(items) == 1:
        items[0].future.set_exception(error)
        return
    for item in items:
        _embed(service, [item])
