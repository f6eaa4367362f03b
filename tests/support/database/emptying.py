"""Empties the tests' database after a test that commits.

Django truncates every table and makes all content types and permissions again, which takes longer than most of these
tests. Here the rows of those tables are deleted that have any, and content types and permissions stay. Where a test has
left another schema, or other content types and permissions, than it found, Django's own way is gone.
"""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from django.test import TransactionTestCase

_KEPT = ("django_migrations", "django_content_type", "auth_permission")
_LARGE = 1024 * 1024
"""Bytes from which a table is truncated: its deleted rows would slow down what follows."""

_SHAPE = """
SELECT
    (SELECT array_agg(format('%s %s', relname, relkind) ORDER BY relname)
     FROM pg_class WHERE relnamespace = 'public'::regnamespace),
    (SELECT array_agg(format('%s %s %s', tgrelid::regclass, tgname, tgenabled) ORDER BY tgrelid, tgname)
     FROM pg_trigger WHERE NOT tgisinternal),
    (SELECT array_agg(format('%s %s %s', id, app_label, model) ORDER BY id) FROM django_content_type),
    (SELECT array_agg(format('%s %s %s', id, content_type_id, codename) ORDER BY id) FROM auth_permission)
"""
_TABLES = """
SELECT relname, pg_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0 AND relname <> ALL(%s)
"""


class Emptying:
    """Takes the place of Django's way to empty a database; created while the database is empty."""

    def __init__(self) -> None:
        self._shape = _shape()

    def install(self) -> None:
        """Have all tests that commit use it, if the database's role may switch triggers off."""
        empty = self.empty

        def _fixture_teardown(case: TransactionTestCase) -> None:
            empty()

        with connection.cursor() as cursor:
            cursor.execute("SHOW is_superuser")
            if cursor.fetchone() == ("on",):
                TransactionTestCase._fixture_teardown = _fixture_teardown  # type: ignore[attr-defined]

    def empty(self) -> None:
        """Leave the database as it was when this object was created."""
        if _shape() == self._shape:
            _delete_rows()
        else:
            call_command("flush", verbosity=0, interactive=False)
            self._shape = _shape()


def _shape() -> Any:
    with connection.cursor() as cursor:
        cursor.execute(_SHAPE)
        return cursor.fetchone()


def _delete_rows() -> None:
    """Delete the rows of all tables, without triggers and without the order that foreign keys ask for."""
    quote = connection.ops.quote_name
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_TABLES, [list(_KEPT)])
        sizes: dict[str, int] = dict(cursor.fetchall())
        large = [name for name, size in sizes.items() if size > _LARGE]
        statements = ["SET LOCAL session_replication_role = replica"]
        statements += [f"TRUNCATE {', '.join(map(quote, large))} CASCADE"] if large else []
        statements += [f"DELETE FROM {quote(name)}" for name in sizes if name not in large]
        cursor.execute("; ".join(statements))
    with connection.cursor() as cursor:  # else the next rows lie in the room of these, in another order than they came
        cursor.execute(f"VACUUM {', '.join(map(quote, sizes))}" if sizes else "SELECT")
