"""Approximate indexes of collections that have outgrown exact search.

Each is an HNSW index over halves (half the size, and no loss that can be measured), partial on its collection, since
collections differ in length and nobody searches one by another's neighbours.
"""

from __future__ import annotations

import re

from django.db import connection
from django.utils import timezone
from psycopg import sql

from memoryserver.vectors.models import Collection, Record

EXACT_UP_TO = 50_000
"""Up to how many records of a collection a search ranks exactly, without an index.

Measured with `bench/search.py` (384 numbers, two cores that others kept busy): to rank 10,000 exactly takes 28 to 54
ms, 25,000 60 to 87, 50,000 92 to 110, 100,000 171 to 183; by the index 50,000 and 100,000 take 16 to 29. So up to here
to be exact costs about a tenth of a second, which nobody notices, and from here on it would be noticed.
"""

LINKS, BUILD_WIDTH = 16, 64
"""hnsw's m and ef_construction, at pgvector's own values: how many neighbours each vector is linked to, and out of how
many they are chosen."""

_MOST_NUMBERS = 4000  # of a halfvec in an HNSW index
_TABLE = Record._meta.db_table


def grown() -> list[Collection]:
    """The collections that have more vectors than are ranked exactly, and no index yet."""
    return [
        collection
        for collection in Collection.objects.filter(indexed_at=None, dimension__lte=_MOST_NUMBERS)
        if Record.objects.filter(collection=collection.name, embedding__isnull=False)[: EXACT_UP_TO + 1].count()
        > EXACT_UP_TO
    ]


def build(collection: Collection) -> None:
    """Build the index of `collection`, without keeping anybody from writing; again after a crash is safe.

    Takes some 45 s for 100,000 vectors of 384 numbers, on a busy machine some minutes. Not inside a transaction.
    """
    name = sql.Identifier(index_name(collection))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))  # what a crash left is not valid
        cursor.execute(_definition(collection, name, "CONCURRENTLY"))
    Collection.objects.filter(pk=collection.pk, dimension=collection.dimension).update(indexed_at=timezone.now())


def drop(collection: Collection) -> None:
    """Take out the index of `collection`, if there is one; inside a transaction too."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(index_name(collection))))
    Collection.objects.filter(pk=collection.pk).update(indexed_at=None)


def index_name(collection: Collection) -> str:
    """How the index of `collection` is called."""
    return f"record_hnsw_{re.sub(r'[^a-z0-9]+', '_', collection.name.lower())}"[:60]


def _definition(collection: Collection, name: sql.Identifier, how: str) -> sql.Composed:
    return sql.SQL(
        "CREATE INDEX {how} {name} ON {table} USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) "
        "WITH (m = {links}, ef_construction = {width}) WHERE collection = {collection} AND embedding IS NOT NULL"
    ).format(
        how=sql.SQL(how),
        name=name,
        table=sql.Identifier(_TABLE),
        dimension=sql.Literal(collection.dimension),
        links=sql.Literal(LINKS),
        width=sql.Literal(BUILD_WIDTH),
        collection=sql.Literal(collection.name),
    )
