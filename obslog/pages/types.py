"""The types of observations that a user has, found without reading all observations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import connection

from memoryserver.accounts.models import User

MAX_TYPES = 500

# Jumps from one type to the next in the index (type, user, id): as many steps as there are types. GROUP BY would read
# the whole index.
_TYPES = """
WITH RECURSIVE known (type) AS (
    SELECT min(type) FROM obslog_observation WHERE user_id = %(user)s
    UNION ALL
    SELECT (SELECT min(type) FROM obslog_observation WHERE user_id = %(user)s AND type > known.type)
    FROM known WHERE known.type IS NOT NULL
)
SELECT type FROM known WHERE type IS NOT NULL LIMIT %(limit)s
"""


def types_of(user: User) -> Mapping[str, Sequence[str]]:
    """Return the types of `user`'s observations by their first part: `{"ghap": ["ghap.resolved", ...]}`.

    At most MAX_TYPES types.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TYPES, {"user": user.pk, "limit": MAX_TYPES})
        types = [type_name for (type_name,) in cursor.fetchall()]
    groups: dict[str, list[str]] = defaultdict(list)
    for name in types:
        groups[name.partition(".")[0]].append(name)
    return dict(groups)
