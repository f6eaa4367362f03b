"""The one change of the log besides retention: what a deleted user wrote is replaced by a fixed text.

The database allows it for deleted users alone (see the migration 0005). Observations of the server stay: they name no
person and are evidence.
"""

from __future__ import annotations

from django.db import connection, transaction

from memoryserver.accounts.models import User

TYPE, SOURCE, MESSAGE = "removed", "user:removed", "removed with its user"
_REMOVE = """
    UPDATE obslog_observation
    SET type = %(type)s, source = %(source)s, message = %(message)s, details = NULL, data = NULL
    WHERE user_id = %(user)s AND category <> 'system'
        AND ((type, source, message) <> (%(type)s, %(source)s, %(message)s) OR details IS NOT NULL OR data IS NOT NULL)
"""
_REMOVE_SCOPES = """
    DELETE FROM obslog_scope scope USING obslog_observation observation
    WHERE scope.user_id = %(user)s AND observation.id = scope.observation_id AND observation.user_id = %(user)s
        AND observation.source = %(source)s AND observation.message = %(message)s
"""


def remove_of_deleted() -> int:
    """Replace what deleted users wrote, with its scope ids; return how many observations that were.

    Each user has a transaction of their own. Needs the privileges of the tables' owner, which the job cluster has.
    """
    keys = User.objects.exclude(deleted_at=None).order_by("pk").values_list("pk", flat=True)
    return sum(_remove_of(key) for key in list(keys))


@transaction.atomic
def _remove_of(key: int) -> int:
    values: dict[str, str | int] = {"type": TYPE, "source": SOURCE, "message": MESSAGE, "user": key}
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('obslog.remove_of', %s, true)", [str(key)])
        cursor.execute(_REMOVE, values)
        count: int = cursor.rowcount
        cursor.execute(_REMOVE_SCOPES, values)
        cursor.execute("SELECT set_config('obslog.remove_of', '', true)")
    return count
