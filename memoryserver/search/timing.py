"""Where the time of a search goes, for the header Server-Timing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from memoryserver.embedding import passes

HEADER = "Server-Timing"

Phase = Literal["embed", "rank", "tokens", "turns", "rerank"]

MODEL = "model"


class Timing:
    """The duration of each phase of a search, from the creation of this object on.

    `embed` is the wait for the query's vector, which is computed while the database is asked what else is needed, 0 if
    it is cached; `rank` the statement that ranks the scope; `tokens`, only where the model tells them, the comparison
    of the first results token by token; `turns`, only if the query names a speaker, the look at the first results in
    their conversation; `rerank`, only if there is a reranker, its answer. `model` is the part of
    `embed` in which the model computed; the remainder of `embed` is the wait for it, in its queue and at the socket.
    """

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._seconds: dict[Phase, float] = {"embed": 0.0, "rank": 0.0}
        self._model = 0.0

    @contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        """Add the time spent within to the phase `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start

    @contextmanager
    def embedding(self) -> Iterator[None]:
        """Add the time spent within to `embed`, and what the model computes in it to `model`."""
        with passes.measured() as spent, self.phase("embed"):
            yield
        self._model += spent.seconds

    def durations(self) -> Mapping[str, float]:
        """Return the milliseconds of each phase so far, of the `model`, which is a part of one, and of the `rest`."""
        rest = time.perf_counter() - self._start - sum(self._seconds.values())
        durations = {"embed": 0.0, MODEL: 1000 * min(self._model, self._seconds["embed"])}
        durations |= {name: 1000 * seconds for name, seconds in self._seconds.items()}
        return durations | {"rest": 1000 * rest}


def header(durations: Mapping[str, float]) -> str:
    """Return the value of Server-Timing for durations in milliseconds."""
    return ", ".join(f"{name};dur={milliseconds:.1f}" for name, milliseconds in durations.items())
