"""Approximate indexes of collections that are too large for exact search.

Each is an HNSW index over half-precision vectors (half the size, without measurable loss), partial on its collection,
since collections differ in dimension and are searched separately.
"""

from __future__ import annotations

import logging
import re

from django.db import connection
from django.utils import timezone
from psycopg import sql

from memoryserver.vectors.models import Collection, Record

logger = logging.getLogger(__name__)

MAX_RECORDS_PER_JOB = 200_000
"""Building larger indexes may exceed a job's time limit; `manage.py index_vectors` has none."""

EXACT_UP_TO = 10_000
"""Number of records of a collection up to which a search ranks exactly, without an index.

Measured with `bench/search.py` (384 dimensions, two busy cores): exact ranking of 10,000 records takes as long as by
index, of 25,000 1.8 times as long, of 100,000 eleven times.
"""

LINKS, BUILD_WIDTH = 16, 64
"""hnsw's m and ef_construction, at pgvector's defaults: links per vector, and candidates to choose them from."""

_MAX_DIMENSION = 4000  # of a halfvec in an HNSW index
_TABLE = Record._meta.db_table


def collections_to_index() -> list[Collection]:
    """Return the collections that have more than EXACT_UP_TO vectors and no index yet."""
    return [
        collection
        for collection in Collection.objects.filter(indexed_at=None, dimension__lte=_MAX_DIMENSION)
        if Record.objects.filter(collection=collection.name, embedding__isnull=False)[: EXACT_UP_TO + 1].count()
        > EXACT_UP_TO
    ]


def build_grown() -> int:
    """Build the index of each collection that is too large for exact search and return how many were built."""
    built = 0
    for collection in collections_to_index():
        if Record.objects.filter(collection=collection.name)[: MAX_RECORDS_PER_JOB + 1].count() > MAX_RECORDS_PER_JOB:
            logger.error(
                "collection too large to be indexed by a job; run: manage.py index_vectors",
                extra={"collection": collection.name},
            )
            continue
        build(collection)
        built += 1
    return built


def build(collection: Collection) -> None:
    """Build the index of `collection` without blocking writes; safe to repeat after a crash.

    Takes about 45 s for 100,000 vectors of 384 dimensions, minutes on a busy machine. Must not run in a transaction.
    """
    name = sql.Identifier(index_name(collection.name))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))  # left by a crash
        cursor.execute(_definition(collection, name, "CONCURRENTLY"))
    Collection.objects.filter(pk=collection.pk, dimension=collection.dimension).update(indexed_at=timezone.now())


def drop(collection: Collection) -> None:
    """Drop the index of `collection` if it has one; may run in a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(index_name(collection.name))))
    Collection.objects.filter(pk=collection.pk).update(indexed_at=None)


def index_name(collection: str) -> str:
    """Return the name of the index of the collection with this name."""
    return f"record_hnsw_{re.sub(r'[^a-z0-9]+', '_', collection.lower())}"[:60]


def _definition(collection: Collection, name: sql.Identifier, option: str) -> sql.Composed:
    return sql.SQL(
        "CREATE INDEX {option} {name} ON {table} USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) "
        "WITH (m = {links}, ef_construction = {width}) WHERE collection = {collection} AND embedding IS NOT NULL"
    ).format(
        option=sql.SQL(option),
        name=name,
        table=sql.Identifier(_TABLE),
        dimension=sql.Literal(collection.dimension),
        links=sql.Literal(LINKS),
        width=sql.Literal(BUILD_WIDTH),
        collection=sql.Literal(collection.name),
    )
