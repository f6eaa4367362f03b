"""Collections whose vectors the database makes, and the indexes that there are."""

from __future__ import annotations

from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.vectors.models import Collection

CLUSTERS = 997
DIMENSION = 16


def fill(
    owner: User, rows: int, name: str = "things", *, dimension: int = DIMENSION, spread: float = 0.6
) -> Collection:
    """`rows` vectors about 997 centres, made by the database; which have which share has nothing to do with those.

    The more dimensions and the wider they are `spread` about their centres, the harder an index finds the nearest.
    """
    collection = Collection.objects.create(name=name, model="made", dimension=dimension)
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(
            """
            WITH centre AS MATERIALIZED (
                SELECT c, array_agg(random() - 0.5) AS at
                FROM generate_series(1, %(clusters)s) AS c, generate_series(1, %(dimension)s) GROUP BY c
            )
            INSERT INTO vectors_record
                (collection, key, text, payload, created_at, embedding, embedded_as, terms, user_id)
            SELECT %(name)s, 'k' || n, 'text', jsonb_build_object('share', CASE
                WHEN n %% 50 = 0 THEN 2 WHEN n %% 10 = 1 THEN 10 ELSE 100 END), now(),
                (SELECT array_agg(x + (random() - 0.5) * %(spread)s) FROM unnest(at) AS x)::vector,
                '', 'text', %(owner)s
            FROM generate_series(1, %(rows)s) AS n JOIN centre ON c = 1 + n * 7919 %% %(clusters)s
            """,
            {
                "name": name,
                "rows": rows,
                "owner": owner.pk,
                "clusters": CLUSTERS,
                "dimension": dimension,
                "spread": spread,
            },
        )
        cursor.execute("ANALYZE vectors_record")
    return collection


def all_indexes(*, valid: bool | None = True) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexrelid::regclass::text, indisvalid FROM pg_index")
        return {
            name
            for name, is_valid in cursor.fetchall()
            if name.startswith("record_hnsw_") and valid in (None, is_valid)
        }
