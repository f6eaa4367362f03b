"""What the web process' role may do to the log, where it is not the owner of the tables: read and add."""

from __future__ import annotations

from django.db import connection

from obslog.partitions import OBSERVATIONS, SCOPES

_GRANTED = """
SELECT DISTINCT tree.relid::regclass::text,
    CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(granted.grantee)) END
FROM (SELECT relid FROM pg_partition_tree(%s) UNION ALL SELECT relid FROM pg_partition_tree(%s)) AS tree
JOIN pg_class ON pg_class.oid = tree.relid
CROSS JOIN aclexplode(relacl) AS granted
WHERE privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE') AND grantee <> relowner
    AND pg_has_role(relowner, 'USAGE')
ORDER BY 1, 2
"""


def revoke_changes() -> list[str]:
    """Take UPDATE, DELETE and TRUNCATE on the log's tables from every role but their owner; from which it was taken.

    Triggers refuse the first two to the owner as well; TRUNCATE is refused by this alone. A role that owns
    neither the tables nor those who do can take nothing, and so takes nothing. After each `migrate` and before
    new months are used, since default privileges may have granted more.
    """
    with connection.cursor() as cursor:
        cursor.execute(_GRANTED, [OBSERVATIONS, SCOPES])
        found = cursor.fetchall()
        for table, role in found:
            cursor.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {role}")  # both quoted by Postgres
    return sorted({role for _, role in found})
