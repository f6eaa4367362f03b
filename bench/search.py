"""What a search costs beside its bare SQL, how that grows, and what the approximate index misses.

    python bench/search.py [--large] [--questions 40]

Rows `service N`: `search()` without the embedding, in a memory of N records of which all are in scope, to the same
statement through psycopg alone, on a connection of its own. Both in turns, medians. Rows `exact N`: ranking N records
by meaning by looking at each, to doing it by the index: what `vectors.indexes.EXACT_UP_TO` is chosen by. Rows
`recall@10 at P%`: how many of the ten nearest the index finds in 100,000 records under a filter that lets P percent
through, against the exact order. The texts are words by a rank-frequency law, the vectors 384 numbers about 1,000
centres, and the filter has nothing to do with either: the hard case. `--large` adds a million records. The last line
is JSON.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bench import server

DIMENSION = 384
MODEL = "bench"
COLLECTION = "bench"
CENTRES = 1_000
WORDS = 20_000
LENGTH = 40  # words of a text
SHARES = (1, 10, 100)  # percent
SIZES = [10_000, 25_000, 50_000, 100_000]
LARGE = 1_000_000
SERVED = (10_000, 100_000, LARGE)
_ADDED = 20_000  # rows in one COPY


class Stand:
    """Gives each question the vector that was put in beforehand, so that no embedding is measured."""

    model_name = MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def load(self) -> None:
        """Nothing to load."""

    def embed(self, text: str) -> list[float]:
        """The vector that `text` was given."""
        return self.vectors[text]

    def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        """Likewise."""
        return [self.vectors[text] for text in texts]


class World:
    """Texts, vectors and questions, the same at each run."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(7)
        self.centres = self.chance.normal(size=(CENTRES, DIMENSION)).astype(np.float32)
        self.weights = 1 / np.arange(10, WORDS + 10)
        self.weights /= self.weights.sum()
        spelling = random.Random(7)
        self.words = ["".join(spelling.choices("bcdfghklmnprst", k=3)) + f"o{number}" for number in range(WORDS)]

    def vectors(self, count: int) -> np.ndarray[Any, Any]:
        """About a centre each, of length 1."""
        near = self.centres[self.chance.integers(CENTRES, size=count)].astype(float)
        made: np.ndarray[Any, Any] = near + self.chance.normal(size=near.shape) * 0.7
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

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


def main() -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="a million records too (half an hour)")
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    with server.running():
        rows = _measure(SIZES + [LARGE] * options.large, options.questions)
    print(json.dumps({"bench": "search", "rows": rows}))


def _measure(sizes: Sequence[int], questions: int) -> list[dict[str, Any]]:
    from memoryserver import embedding
    from memoryserver.accounts.models import User
    from memoryserver.vectors import indexes
    from memoryserver.vectors.models import Collection

    world, stand = World(), Stand()
    asked = world.questions(questions)
    stand.vectors = dict(zip(asked, world.vectors(questions).tolist(), strict=True))
    embedding.service = lambda: stand  # type: ignore[assignment]
    embedding.ready_service = lambda: stand
    _register()
    owner = User.objects.create(username="owner")
    collection = Collection.objects.create(name=COLLECTION, model=MODEL, dimension=DIMENSION)
    rows: list[dict[str, Any]] = []
    filled = 0
    head = ("records", "exact ms", "index ms", "ratio", "built in s", "service ms", "bare SQL ms", "ratio")
    print("   " + "".join(f"{word:>12}" for word in head))
    for size in sizes:
        indexes.drop(collection)  # rows would go into it one by one
        _fill(world, owner.pk, filled, size)
        filled = size
        exact = _by_meaning_ms(stand, asked, most=size)
        started = time.perf_counter()
        indexes.build(collection)
        built = time.perf_counter() - started
        quick = _by_meaning_ms(stand, asked, most=0)
        print(f"    {size:11,}{exact:12.1f}{quick:12.1f}{exact / quick:12.2f}{built:12.0f}", end="", flush=True)
        rows.append({"what": f"exact {size}", "ratio": round(exact / quick, 4)})
        if size in SERVED:
            service, bare = _in_turns(owner, asked)
            print(f"{service:12.1f}{bare:12.1f}{service / bare:12.2f}", end="")
            rows.append({"what": f"service {size}", "ratio": round(service / bare, 4)})
        print()
        if size == 100_000:
            rows += _recall(owner, stand, asked)
    return rows


def _register() -> None:
    from memoryserver.search import sources

    for known in sources.all_sources():
        del sources._sources[known.name]
    sources.register(
        sources.Source(
            name="bench",
            collections={COLLECTION: "bench"},
            describe=lambda records: {
                record.pk: sources.Description(title="", kind="bench", text=record.text) for record in records
            },
            filters={"share": sources.Filter("share", [str(share) for share in SHARES])},
        )
    )


def _fill(world: World, owner: int, first: int, last: int) -> None:
    """By COPY. Every hundredth record has the share of 1 percent, every tenth that of 10."""
    from django.db import connection

    for start in range(first, last, _ADDED):
        count = min(_ADDED, last - start)
        lines = io.StringIO()
        vectors, texts = world.vectors(count).round(5).tolist(), world.texts(count, LENGTH)
        for number in range(count):
            share = "1" if (start + number) % 100 == 0 else "10" if (start + number) % 10 == 1 else "100"
            vector = json.dumps(vectors[number], separators=(",", ":"))
            payload = json.dumps({"share": share})
            key = f"k{start + number}"
            text = texts[number]
            lines.write("\t".join([COLLECTION, key, text, payload, "2026-01-02", vector, "", text, str(owner)]) + "\n")
        columns = "collection, key, text, payload, created_at, embedding, embedded_as, terms, user_id"
        with connection.cursor() as cursor, cursor.copy(f"COPY vectors_record ({columns}) FROM STDIN") as copy:
            copy.write(lines.getvalue())
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE vectors_record")


def _in_turns(owner: Any, asked: Sequence[str]) -> tuple[float, float]:
    """Milliseconds of the service and of the bare statement, medians over all questions."""
    import psycopg
    from django.db import connection

    from memoryserver.search.service import Search, search

    statements = [_statement_of(partial(search, owner, Search(words))) for words in asked]
    with psycopg.connect(**_parameters(connection), cursor_factory=psycopg.ClientCursor, autocommit=True) as bare:
        service_times, bare_times = [], []
        for words, statement in zip(asked, statements, strict=True):
            service_times.append(_ms(partial(search, owner, Search(words))))
            bare_times.append(_ms(partial(_run, bare, statement)))
    return statistics.median(service_times), statistics.median(bare_times)


def _statement_of(call: Callable[[], object]) -> list[str]:
    """The SQL that ranks, as it is sent, with what is set for it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        call()
    return [
        query["sql"]
        for query in captured.captured_queries
        if query["sql"].startswith(("SELECT set_config", "\nWITH scope", "WITH scope"))
    ]


def _run(bare: Any, statements: Sequence[str]) -> None:
    with bare.transaction():
        for statement in statements:
            bare.execute(statement).fetchall()


def _parameters(connection: Any) -> dict[str, Any]:
    known = connection.get_connection_params()
    return {name: known[name] for name in ("dbname", "user", "host") if name in known}


def _ms(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _by_meaning_ms(stand: Stand, asked: Sequence[str], *, most: int) -> float:
    """Median time of ranking all records by meaning, exactly where there are at most `most`."""
    from memoryserver.search import engine
    from memoryserver.vectors.models import Record

    usual, engine.EXACT_UP_TO = engine.EXACT_UP_TO, most
    try:
        scope = Record.objects.filter(collection=COLLECTION)
        meanings = [engine.QueryVector(stand.vectors[words], MODEL, [COLLECTION], [COLLECTION]) for words in asked]
        calls = [partial(engine.rank, scope, "", meaning, by_words=False) for meaning in meanings]
        calls[0]()  # what is not in memory yet comes in
        return statistics.median(map(_ms, calls))
    finally:
        engine.EXACT_UP_TO = usual


def _nearest(vector: Sequence[float], payload: dict[str, str]) -> list[str]:
    """The ten nearest, by looking at each."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key FROM vectors_record WHERE collection = %s AND payload @> %s::jsonb "
            "ORDER BY (embedding <=> %s::vector) + 0, id LIMIT 10",
            [COLLECTION, json.dumps(payload), json.dumps(list(vector))],
        )
        return [key for (key,) in cursor.fetchall()]


def _recall(owner: Any, stand: Stand, asked: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    print(f"\n    {'filter':>9}  recall@10")
    for share in SHARES:
        found = statistics.mean(_found(owner, stand, words, share) for words in asked)
        print(f"    {share:8}%  {found:9.4f}")
        rows.append({"what": f"recall@10 at {share}%", "ratio": round(found, 4)})
    return rows


def _found(owner: Any, stand: Stand, words: str, share: int) -> float:
    """Of the ten nearest under the filter, the part that the service finds by meaning alone."""
    from memoryserver.search.service import Search, search

    filters = {} if share == 100 else {"share": str(share)}
    wanted = Search(words, mode="semantic", filters=filters)
    nearest = _nearest(stand.vectors[words], filters)
    return len({hit.key for hit in search(owner, wanted).hits} & set(nearest)) / len(nearest)


if __name__ == "__main__":
    main()
