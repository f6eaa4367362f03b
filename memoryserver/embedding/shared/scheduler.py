"""The order in which texts of several clients are embedded: questions first, then batches, in slices.

A forward pass takes one thread and is not interrupted, so a large batch is cut into slices, which as many threads as
there are cores embed. There is one thread more, so a question waits for one at most as long as another question takes.
It shares the cores with the slices that are running.
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
        self._threads = threads or (os.cpu_count() or 1) + 1
        self._batches_at_once = max(self._threads - 1, 1)
        self._batches_running = 0
        self._waiting: list[_Slice] = []
        self._running: dict[int, float] = {}  # the number of each slice, and when it began
        self._worked = True  # the model was loaded
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        for number in range(self._threads):
            threading.Thread(target=self._work, name=f"embedding-{number}", daemon=True).start()

    def embed(self, service: EmbeddingService, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of `texts` in their order. Raises what the service raises."""
        priority = 0 if len(texts) <= FEW else 1
        places = _cut(texts)
        with self._changed:
            slices = [
                _Slice(priority, next(self._numbers), service, [texts[place] for place in part]) for part in places
            ]
            is_question = not priority and len(slices) == 1
            is_at_once = is_question and not self._waiting and self._is_free_for(slices[0])
            if is_at_once:
                self._start(slices[0])
            else:
                for item in slices:
                    item.request = slices
                    heapq.heappush(self._waiting, item)
                self._changed.notify_all()
        if is_at_once:  # by this thread: to wake another one takes longer than all else that is done here
            self._run(slices[0])
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
            self._run(self._next())

    def _next(self) -> _Slice:
        with self._changed:
            while not self._waiting or not self._is_free_for(self._waiting[0]):
                self._changed.wait()
            item = heapq.heappop(self._waiting)
            self._start(item)
            return item

    def _is_free_for(self, item: _Slice) -> bool:
        is_thread_left = len(self._running) < self._threads
        return is_thread_left and self._batches_running + item.priority <= self._batches_at_once

    def _start(self, item: _Slice) -> None:
        self._batches_running += item.priority
        self._running[item.number] = time.monotonic()
        self._worked = True

    def _run(self, item: _Slice) -> None:
        try:
            if item.vectors.set_running_or_notify_cancel():
                _embed(item)
        finally:
            with self._changed:
                del self._running[item.number]
                self._batches_running -= item.priority
                if self._waiting:
                    self._changed.notify_all()


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
