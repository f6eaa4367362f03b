"""A large observation log for `bench/obslog.py`, made by Postgres itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryserver.accounts.models import User

USERS = 20
DAYS = 360

LOAD = """
INSERT INTO obslog_observation (id, user_id, type, source, message, data, created_at)
SELECT (lpad(to_hex(moment), 12, '0') || '7' || lpad(to_hex(number %% 4096), 3, '0') || '8'
        || lpad(to_hex(number), 15, '0'))::uuid,
    (%(users)s::bigint[])[1 + least(number %% 40, %(last)s)], 'task.' || number %% 20,
    CASE WHEN number %% 17 = 0 THEN 'system:' || number %% 5 ELSE 'agent:' || number / 997 END,
    'message number ' || number || ' says what happened in a line of usual length', jsonb_build_object('n', number),
    moment
FROM (
    SELECT number, %(start)s + (%(length)s::float8 * number / %(total)s)::bigint AS moment
    FROM generate_series(1, %(total)s) AS number
) AS numbered
"""
LOAD_SCOPES = """
INSERT INTO obslog_scope (observation_id, scope_id, user_id)
SELECT id, unnest(ARRAY['task-' || (data->>'n')::bigint / 40, 'project-' || (data->>'n')::bigint % 10]), user_id
FROM obslog_observation WHERE data ? 'n'
"""


def load(users: list[User], total: int) -> None:
    """`total` observations over the last year, half of them the last user's, and what they are about."""
    from django.db import connection

    start = datetime.now(UTC) - timedelta(days=DAYS)
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE obslog_observation, obslog_scope")
        cursor.execute("SET session_replication_role = replica")  # no foreign keys looked up, for speed
        cursor.execute(
            LOAD,
            {
                "users": [user.pk for user in users],
                "last": USERS - 1,
                "start": int(start.timestamp() * 1000),
                "length": DAYS * 86_400_000,
                "total": total,
            },
        )
        cursor.execute(LOAD_SCOPES)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE obslog_observation, obslog_scope")
