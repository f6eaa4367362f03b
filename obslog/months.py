"""The months of the log: made before they come, dropped when they are old, and what roles may do with them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from obslog import partitions
from obslog.emit import emit
from obslog.partitions import OBSERVATIONS, SCOPES, Month

SOURCE = "system:obslog"

_GRANTS = """
SELECT DISTINCT tree.relid::regclass::text,
    CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(granted.grantee)) END
FROM (SELECT relid FROM pg_partition_tree(%s) UNION ALL SELECT relid FROM pg_partition_tree(%s)) AS tree
JOIN pg_class ON pg_class.oid = tree.relid
CROSS JOIN aclexplode(relacl) AS granted
WHERE privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE') AND grantee <> relowner
    AND pg_has_role(relowner, 'USAGE')
ORDER BY 1, 2
"""


@transaction.atomic
def make_coming(now: datetime) -> Sequence[Month]:
    """Create the months that will be needed and are missing, record them in the log, and return them."""
    created = partitions.ensure(now)
    revoke_changes()
    if created:
        names = [str(month) for month in created]
        message = f"created the months {', '.join(names)}"
        emit(None, type="log.months_made", source=SOURCE, message=message, data={"months": names})
    return created


@transaction.atomic
def drop_beyond(first_kept: Month, kept_months: int) -> int:
    """Drop the months before `first_kept`, record each in the log, and return the number of observations."""
    dropped = partitions.drop_before(first_kept)
    for name, count in dropped:
        emit(
            None,
            type="log.month_dropped",
            source=SOURCE,
            message=f"dropped {name} with {count} observations: {kept_months} months are kept",
            data={"dropped": name, "observations": count, "kept_months": kept_months},
        )
    return sum(count for _, count in dropped)


def revoke_changes() -> list[str]:
    """Revoke UPDATE, DELETE and TRUNCATE on the log's tables from every role but their owner; return these roles.

    Triggers reject the first two for the owner as well; TRUNCATE is only prevented by this. Does nothing if the current
    role is not a member of the owner. Called after each `migrate` and for new months, since default privileges may
    have granted more.
    """
    with connection.cursor() as cursor:
        cursor.execute(_GRANTS, [OBSERVATIONS, SCOPES])
        grants = cursor.fetchall()
        for table, role in grants:
            cursor.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {role}")  # both quoted by Postgres
    return sorted({role for _, role in grants})
