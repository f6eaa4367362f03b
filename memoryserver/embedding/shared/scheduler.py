"""The order in which texts of several clients are embedded: questions first, then batches, in slices.

A forward pass is not interrupted, so a large batch is cut into slices of some tens of milliseconds, and all threads but
one embed slices of batches: a question waits for a free thread at most as long as another question takes. It shares the
cores with the slice that is running, so a batch costs it less the shorter the slices are; longer ones are no faster.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from dataclasses import dataclass, field

from memoryserver.embedding import passes
from memoryserver.embedding.base import EmbeddingService, Vector

FEW = 16
"""Texts in one request up to which it counts as a question: what a web process sends at most in one."""

_SLICE_TEXTS = 16
_SLICE_CHARACTERS = 2_000
_CHARACTERS_READ = 1_200  # of one text, about: where models cut it


@dataclass(order=True)
class _Slice:
    priority: int
    number: int
    service: EmbeddingService = field(compare=False)
    texts: Sequence[str] = field(compare=False)
    vectors: Future[list[Vector]] = field(compare=False, default_factory=Future)
    request: Sequence[_Slice] = field(compare=False, default=())
    seconds: float = field(compare=False, default=0.0)


class Scheduler:
    """Embeds by threads of its own; thread-safe."""

    def __init__(self, threads: int | None = None) -> None:
        cores = threads or max(os.cpu_count() or 1, 2)
        self._batches_at_once = max(cores - 1, 1)
        self._batches_running = 0
        self._waiting: list[_Slice] = []
        self._running: dict[int, float] = {}  # the number of each slice, and when it began
        self._worked = True  # the model was loaded
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        for number in range(cores):
            threading.Thread(target=self._work, name=f"embedding-{number}", daemon=True).start()

    def embed(self, service: EmbeddingService, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts` in their order. Raises what the service raises."""
        priority = 0 if len(texts) <= FEW else 1
        places = _cut(texts)
        with self._changed:
            slices = [
                _Slice(priority, next(self._numbers), service, [texts[place] for place in part]) for part in places
            ]
            for item in slices:
                item.request = slices
                heapq.heappush(self._waiting, item)
            self._changed.notify_all()
        vectors: list[Vector] = [[]] * len(texts)
        done, _ = wait([item.vectors for item in slices], return_when=FIRST_EXCEPTION)
        for future in done:
            if not future.cancelled() and (error := future.exception()) is not None:
                raise error
        for part, item in zip(places, slices, strict=True):
            for place, vector in zip(part, item.vectors.result(), strict=True):
                vectors[place] = vector
        passes.add(sum(item.seconds for item in slices))
        return vectors

    def longest_running(self) -> float:
        """Return for how many seconds the oldest forward pass has been running; 0 if none is."""
        with self._changed:
            now = time.monotonic()
            return now - min(self._running.values(), default=now)

    def has_rested(self) -> bool:
        """Return whether nothing is embedded now, but something was since this function last returned true."""
        with self._changed:
            rested = not self._running and self._worked
            if rested:
                self._worked = False
            return rested

    def _work(self) -> None:
        while True:
            item = self._next()
            try:
                if item.vectors.set_running_or_notify_cancel():
                    _embed(item)
            finally:
                with self._changed:
                    del self._running[item.number]
                    self._batches_running -= item.priority
                    self._changed.notify_all()

    def _next(self) -> _Slice:
        with self._changed:
            while not self._waiting or self._batches_running + self._waiting[0].priority > self._batches_at_once:
                self._changed.wait()
            item = heapq.heappop(self._waiting)
            self._batches_running += item.priority
            self._running[item.number] = time.monotonic()
            self._worked = True
            return item


def _embed(item: _Slice) -> None:
    started = time.monotonic()
    try:
        vectors = item.service.embed_batch(item.texts)
        item.seconds = time.monotonic() - started
        item.vectors.set_result(vectors)
    except Exception as error:  # noqa: BLE001  (it is raised where the vectors are waited for)
        for other in item.request:
            if other is not item:
                other.vectors.cancel()  # has no effect on one that is done or being embedded
        item.vectors.set_exception(error)


def _cut(texts: Sequence[str]) -> list[list[int]]:
    """Return the places of `texts`, those of similar length together, in slices."""
    slices: list[list[int]] = []
    for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
        length = min(len(texts[place]), _CHARACTERS_READ)
        if slices and len(slices[-1]) < _SLICE_TEXTS and (len(slices[-1]) + 1) * length <= _SLICE_CHARACTERS:
            slices[-1].append(place)
        else:
            slices.append([place])
    return slices
