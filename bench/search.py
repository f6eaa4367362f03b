"""What a search costs beside its bare SQL, how that grows, and what the approximate index misses.

    python bench/search.py [--large] [--sizes 1000,10000] [--questions 40]

Rows `service N`: `search()` without the embedding, in a memory of N records of which all are in scope, to the faster of
two bare statements through psycopg on a connection of its own: that of the service, and the one that ranks exactly. All
in turns, medians. Rows `service N, processor`: the same in time of a processor, of this thread and of its session in
Postgres, which a busy machine changes little (Linux only). Rows `exact beside index N`: ranking N records by meaning by
looking at each, to doing it by the index: what `vectors.indexes.EXACT_UP_TO` is chosen by. Rows `recall N P%`: how many
of the ten nearest a search by meaning finds in N records under a filter that lets P percent through, against the exact
order. Row `concurrent 8`: the 95th percentile of eight clients at up to 2,000 records with the real model, to the
median of one client times eight by cores.

The texts are words by a rank-frequency law, the vectors 384 numbers about 1,000 centres, and the filter has nothing to
do with either: the hard case. `--large` adds a million records; progress is printed to standard error. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # before this folder, with another `capture` in it

from bench.support import server
from bench.support.search_costs import in_turns, phases_of
from bench.support.search_data import COLLECTION, DIMENSION, MODEL, Stand, World, fill, progress, told_while_building

SHARES = ("0.1", "1", "10", "100")  # percent
SIZES = [1_000, 10_000, 25_000, 100_000]
LARGE = 1_000_000
CLIENTS, CLIENTS_AT = 8, 2_000
RECALL_FROM = 100_000
FEW = 10  # questions of which the slow ways are measured at a million records


def main() -> None:
    """Print the tables and the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="a million records too (some 20 minutes)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of records, ascending")
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")] + [LARGE] * options.large
    with server.running():
        rows = _measure(sizes, options.questions)
    print(json.dumps({"bench": "search", "rows": rows}))


def _measure(sizes: Sequence[int], questions: int) -> list[dict[str, Any]]:
    from memoryserver.accounts.models import User
    from memoryserver.vectors import indexes
    from memoryserver.vectors.models import Collection

    world, stand = World(), Stand()
    asked = world.questions(questions)
    stand.vectors = dict(zip(asked, world.vectors(questions).tolist(), strict=True))
    _embed_by(stand)
    _register()
    owner = User.objects.create(username="owner")
    collection = Collection.objects.create(name=COLLECTION, model=MODEL, dimension=DIMENSION)
    filled = min(CLIENTS_AT, sizes[0])
    fill(world, owner.pk, 0, filled)
    rows = [_concurrent(owner, world)]
    head = ("records", "exact ms", "index ms", "ratio", "built in s", "service ms", "bare SQL ms", "ratio")
    print(
        "   " + "".join(f"{word:>12}" for word in (*head, "processor", "bare SQL", "ratio")) + "   of the service, ms"
    )
    for size in sizes:
        indexes.drop(collection)  # rows would go into it one by one
        fill(world, owner.pk, filled, size)
        filled = size
        few = asked[:FEW] if size >= LARGE else asked  # what takes a second each
        rows.append(_exact_beside_index(collection, stand, asked, few, size))
        rows += _service_beside_sql(owner, asked, len(few), size)
        if size >= RECALL_FROM:
            rows += _recall(owner, stand, asked, size)
    return rows


def _embed_by(stand: Stand) -> None:
    """Let searches take the vectors of their questions from `stand`."""
    from memoryserver import embedding
    from memoryserver.search import query_embedding

    query_embedding.embedder = query_embedding.QueryEmbedder(deadline=600)  # a busy machine still gets a vector
    stand.load()
    embedding.service = lambda: stand  # type: ignore[assignment]
    embedding.ready_service = lambda: stand


def _exact_beside_index(
    collection: Any, stand: Stand, asked: Sequence[str], few: Sequence[str], size: int
) -> dict[str, Any]:
    """Measure both ways of ranking by meaning, and begin the line of the table; the index is built in between."""
    exact = _by_meaning_ms(stand, few, most=size)
    started = time.perf_counter()
    _build(collection)
    built = time.perf_counter() - started
    by_index = _by_meaning_ms(stand, asked, most=0)
    print(f"    {size:11,}{exact:12.1f}{by_index:12.1f}{exact / by_index:12.2f}{built:12.0f}", end="", flush=True)
    return {"what": f"exact beside index {size}", "ratio": round(exact / by_index, 4)}


def _service_beside_sql(owner: Any, asked: Sequence[str], exactly: int, size: int) -> list[dict[str, Any]]:
    """Measure the service and bare SQL, and end the line of the table."""
    service, bare, phases = in_turns(owner, asked, exactly=exactly)
    line = f"{service.ms:12.1f}{bare.ms:12.1f}{service.ms / bare.ms:12.2f}"
    rows = [{"what": f"service {size}", "ratio": round(service.ms / bare.ms, 4)}]
    if bare.processor_ms:
        ratio = service.processor_ms / bare.processor_ms
        line += f"{service.processor_ms:12.1f}{bare.processor_ms:12.1f}{ratio:12.2f}"
        rows.append({"what": f"service {size}, processor", "ratio": round(ratio, 4)})
    print(line + "   " + phases, flush=True)
    return rows


def _build(collection: Any) -> None:
    """Build the index with as much memory as it needs, and as many workers as the machine has."""
    from django.db import connection

    from memoryserver.vectors import indexes

    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '3GB'")
        cursor.execute(f"SET max_parallel_maintenance_workers = {os.cpu_count() or 1}")
    with told_while_building():
        indexes.build(collection)
    with connection.cursor() as cursor:
        cursor.execute("RESET maintenance_work_mem")
        cursor.execute("VACUUM ANALYZE vectors_record")


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
            read=lambda *_: [],
            near=lambda *_: [],
            filters={"share": sources.Filter("share", list(SHARES))},
        )
    )


def _ms(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _by_meaning_ms(stand: Stand, asked: Sequence[str], *, most: int) -> float:
    """Median time of ranking all records by meaning, exactly where there are at most `most`."""
    from memoryserver.search import engine, plan
    from memoryserver.vectors.models import Record

    usual, engine.EXACT_UP_TO = engine.EXACT_UP_TO, most
    try:
        scope = plan.Scope.of(Record.objects.filter(collection=COLLECTION))
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


def _recall(owner: Any, stand: Stand, asked: Sequence[str], size: int) -> list[dict[str, Any]]:
    rows = []
    for share in SHARES:
        started = time.perf_counter()
        recall = statistics.mean(_found(owner, stand, words, share) for words in asked)
        rows.append({"what": f"recall {size} {share}%", "ratio": round(recall, 4)})
        progress(f"recall@10 of {size:,} at {share} %: {recall:.4f}", started)
    return rows


def _found(owner: Any, stand: Stand, words: str, share: str) -> float:
    """Of the ten nearest under the filter, the part that a search by meaning puts among its first ten."""
    from memoryserver.search import engine
    from memoryserver.search.scope import Search, statement_of
    from memoryserver.vectors.models import Record

    filters = {} if share == "100" else {"share": share}
    meaning = engine.QueryVector(stand.vectors[words], MODEL, [COLLECTION], [COLLECTION])
    scope = statement_of(owner, Search(words, filters=filters))
    ranked = engine.rank(scope, "", meaning, by_words=False)[:10]
    keys = Record.objects.filter(pk__in=[row.record_id for row in ranked]).values_list("key", flat=True)
    nearest = _nearest(stand.vectors[words], filters)
    return len(set(keys) & set(nearest)) / len(nearest)


def _concurrent(owner: Any, world: World) -> dict[str, Any]:
    """Searches with the real model, each for a question that was not asked before, by one client and by eight."""
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    from memoryserver.search.service import Search, search

    def ask(words: str) -> tuple[float, Any]:
        started = time.perf_counter()
        timing = search(owner, Search(words)).timing
        return (time.perf_counter() - started) * 1000, timing

    def by(clients: int, count: int) -> list[tuple[float, Any]]:
        with ThreadPoolExecutor(clients) as threads:
            answers = list(threads.map(ask, world.questions(count)))
            list(threads.map(lambda _: connection.close(), range(clients)))
        return answers

    by(CLIENTS, CLIENTS)  # opens connections
    one, eight = by(1, 30), by(CLIENTS, 120)
    for clients, answers in ((1, one), (CLIENTS, eight)):
        told = phases_of([timing for _, timing in answers])
        middle, late = _quantiles(answers)
        print(f"    {clients} clients: median {middle:.1f} ms, 95 % within {late:.1f} ms; medians of {told}")
    fair = _quantiles(one)[0] * CLIENTS / min(os.cpu_count() or 1, CLIENTS)
    return {"what": f"concurrent {CLIENTS}", "ratio": round(_quantiles(eight)[1] / fair, 4)}


def _quantiles(answers: Sequence[tuple[float, Any]]) -> tuple[float, float]:
    """Median and 95th percentile, in milliseconds."""
    times = sorted(milliseconds for milliseconds, _ in answers)
    return statistics.median(times), times[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
