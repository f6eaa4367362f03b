"""Privileges on the log: roles that do not own the tables may only read and insert."""

from __future__ import annotations

from django.db import connection

from obslog.partitions import OBSERVATIONS, SCOPES

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
