"""What `bench/search.py` searches: texts, vectors and questions, and how they are stored."""

from __future__ import annotations

import json
import random
import struct
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

DIMENSION = 384
MODEL = "bench"
COLLECTION = "bench"
CENTRES = 1_000
WORDS = 20_000
LENGTH = 40  # words of a text
_PROGRESS = "SELECT phase, tuples_done FROM pg_stat_progress_create_index"
_ADDED = 20_000  # rows in one COPY
_REPORTED = 100_000
_MANY = 50_000  # rows from which on their words are indexed afterwards
_COPY_HEAD = b"PGCOPY\n\xff\r\n\x00" + struct.pack("!ii", 0, 0)
_COPY_END = struct.pack("!h", -1)
_MICROSECONDS = 820_000_000_000_000  # since 2000: at the end of 2025


class Stand:
    """Gives each question the vector that was put in beforehand; other texts get those of the bundled model."""

    model_name = MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        from memoryserver.embedding.onnx.service import OnnxService

        self.vectors: dict[str, list[float]] = {}
        self._model = OnnxService()

    def load(self) -> None:
        """Load the bundled model."""
        self._model.load()

    def embed(self, text: str) -> list[float]:
        """The vector of `text`."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of `texts`."""
        rest = [text for text in texts if text not in self.vectors]
        embedded = dict(zip(rest, self._model.embed_batch(rest), strict=True)) if rest else {}
        return [self.vectors.get(text) or embedded[text] for text in texts]


class World:
    """Texts, vectors and questions, the same at each run."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(7)
        # The standard deviations along the principal axes, as those of the bundled model's vectors of our own texts: of
        # either the variances are those of some 50 equal axes. On 384 equal ones all of a cluster are equally far.
        self.spread = ((np.arange(DIMENSION) + 5.0) ** (-1.25 / 2)).astype(np.float32)
        self.centres = self._normal(CENTRES)
        self.weights = 1 / np.arange(10, WORDS + 10)
        self.weights /= self.weights.sum()
        spelling = random.Random(7)
        self.words = ["".join(spelling.choices("bcdfghklmnprst", k=3)) + f"o{number}" for number in range(WORDS)]

    def vectors(self, count: int) -> np.ndarray[Any, Any]:
        """About a centre each, of length 1."""
        made = self.centres[self.chance.integers(CENTRES, size=count)] + self._normal(count) * np.float32(0.7)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

    def _normal(self, count: int) -> np.ndarray[Any, Any]:
        drawn: np.ndarray[Any, Any] = self.chance.standard_normal((count, DIMENSION), dtype=np.float32) * self.spread
        return drawn

    def texts(self, count: int, length: int) -> list[str]:
        """`length` words each, frequent ones often."""
        return self._drawn(count, length, self.weights)

    def questions(self, count: int) -> list[str]:
        """Six words each by the same law, less those in more than a tenth of all texts (of which stop words are)."""
        weights = np.where(self.weights * LENGTH > 0.1, 0, self.weights)
        return self._drawn(count, 6, weights / weights.sum())

    def _drawn(self, count: int, length: int, weights: np.ndarray[Any, Any]) -> list[str]:
        drawn = self.chance.choice(WORDS, size=(count, length), p=weights)
        return [" ".join(self.words[number] for number in row) for row in drawn]


def fill(world: World, owner: int, first: int, last: int) -> None:
    """By binary COPY. Every thousandth record has the share of 0.1 percent, every hundredth that of 1, and so on."""
    from django.db import connection

    columns = "collection, key, text, payload, created_at, embedding, embedded_as, terms, user_id"
    started = time.perf_counter()
    with _without_inverted_indexes(last - first >= _MANY):
        for start in range(first, last, _ADDED):
            count = min(_ADDED, last - start)
            vectors, texts = world.vectors(count).astype(">f4"), world.texts(count, LENGTH)
            rows = [_row(start + number, texts[number], vectors[number].tobytes(), owner) for number in range(count)]
            with (
                connection.cursor() as cursor,
                cursor.copy(f"COPY vectors_record ({columns}) FROM STDIN (FORMAT binary)") as copy,
            ):
                copy.write(_COPY_HEAD + b"".join(rows) + _COPY_END)
            if (start + count) % _REPORTED == 0:
                progress(f"{start + count:,} records stored", started)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE vectors_record")
    progress(f"{last:,} records indexed by their words and analysed", started)


@contextmanager
def _without_inverted_indexes(apply: bool) -> Iterator[None]:
    """Within it the table has no GIN index if `apply`: building one afterwards is faster than adding row by row."""
    from django.contrib.postgres.indexes import GinIndex
    from django.db import connection

    from memoryserver.vectors.models import Record

    indexes = [index for index in Record._meta.indexes if apply and isinstance(index, GinIndex)]
    with connection.schema_editor() as editor:
        for index in indexes:
            editor.remove_index(Record, index)
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '1GB'")
    with connection.schema_editor() as editor:
        for index in indexes:
            editor.add_index(Record, index)


def _row(number: int, text: str, vector: bytes, owner: int) -> bytes:
    """One row of a binary COPY: the number of fields, and each with its length."""
    share = next(share for share, of in (("0.1", 1000), ("1", 100), ("10", 10), ("100", 1)) if number % of == of // 2)
    fields = [
        COLLECTION.encode(),
        f"k{number}".encode(),
        text.encode(),
        b"\x01" + json.dumps({"share": share}).encode(),
        struct.pack("!q", _MICROSECONDS),
        struct.pack("!HH", DIMENSION, 0) + vector,
        b"",
        text.encode(),
        struct.pack("!q", owner),
    ]
    return struct.pack("!h", len(fields)) + b"".join(struct.pack("!i", len(field)) + field for field in fields)


@contextmanager
def told_while_building(seconds: float = 30) -> Iterator[None]:
    """Within it the progress of an index that is built is told as often."""
    import psycopg
    from django.db import connection

    known = connection.get_connection_params()
    session = {name: known[name] for name in ("dbname", "user", "host") if name in known}
    ended = threading.Event()
    started = time.perf_counter()

    def tell() -> None:
        while not ended.wait(seconds):
            with psycopg.connect(**session) as own:
                row = own.execute(_PROGRESS).fetchone()
            if row:
                progress("{}: {:,} records".format(*row), started)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def progress(what: str, started: float) -> None:
    print(f"    {what} after {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
