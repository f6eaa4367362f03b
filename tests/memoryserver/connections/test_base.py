"""A kept connection is used again as long as it works, and without asking the server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import OperationalError


@pytest.fixture
def kept(transactional_db: None) -> Iterator[BaseDatabaseWrapper]:
    """A connection of its own to the tests' database, as a request leaves it for the next one."""
    connection = connections.create_connection("default")
    connection.inc_thread_sharing()
    connection.ensure_connection()
    yield connection
    connection.close()


def begin_request(connection: BaseDatabaseWrapper) -> None:
    connection.close_if_unusable_or_obsolete()


def value(connection: BaseDatabaseWrapper, sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def stop(connection: BaseDatabaseWrapper) -> None:
    """End the connection's server process, as a restart of Postgres does."""
    pid = value(connection, "SELECT pg_backend_pid()")
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_settings_name_the_engine(kept: BaseDatabaseWrapper) -> None:
    assert (type(kept).__module__, kept.vendor) == ("memoryserver.connections.base", "postgresql")


def test_connection_that_works_is_kept_and_asked_nothing(kept: BaseDatabaseWrapper) -> None:
    first = value(kept, "SELECT pg_backend_pid()")
    with kept.cursor() as cursor:
        cursor.execute("SELECT 'the last one of a request'")
    begin_request(kept)
    kept.close_if_health_check_failed()

    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [first])
        assert cursor.fetchone() == ("SELECT 'the last one of a request'",)
    assert value(kept, "SELECT pg_backend_pid()") == first


def test_connection_that_was_ended_is_replaced_at_the_next_request(kept: BaseDatabaseWrapper) -> None:
    first = value(kept, "SELECT pg_backend_pid()")
    stop(kept)
    begin_request(kept)

    assert value(kept, "SELECT pg_backend_pid()") != first


def test_connection_that_is_ended_within_a_request_fails_it(kept: BaseDatabaseWrapper) -> None:
    begin_request(kept)
    value(kept, "SELECT 1")
    stop(kept)

    with pytest.raises(OperationalError):
        value(kept, "SELECT 1")


def test_connection_with_something_to_read_is_asked_and_kept(kept: BaseDatabaseWrapper) -> None:
    first = value(kept, "SELECT pg_backend_pid()")
    with kept.cursor() as cursor:
        cursor.execute("LISTEN something")
    with connections["default"].cursor() as cursor:
        cursor.execute("NOTIFY something")
    begin_request(kept)

    assert value(kept, "SELECT pg_backend_pid()") == first


def test_driver_that_closed_the_connection_is_seen(kept: BaseDatabaseWrapper) -> None:
    assert isinstance(kept.connection, psycopg.Connection)
    kept.connection.close()
    begin_request(kept)

    assert value(kept, "SELECT 1") == 1


def test_times_of_any_session_are_in_utc(kept: BaseDatabaseWrapper) -> None:
    with kept.cursor() as cursor:
        cursor.execute(
            "SELECT '2026-03-01 12:00:00.5+05:30'::timestamptz, '0001-01-01+00'::timestamptz, NULL::timestamptz,"
            " ARRAY['9999-12-31 23:59:59.999999+00']::timestamptz[]"
        )
        values = cursor.fetchone()

    assert values == (
        datetime(2026, 3, 1, 6, 30, 0, 500_000, UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        None,
        [datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)],
    )
    assert [values[0].tzinfo, values[1].tzinfo] == [UTC, UTC]


@pytest.mark.parametrize("binary", [False, True])
def test_results_of_a_prepared_statement_are_the_same_in_both_formats(
    kept: BaseDatabaseWrapper, *, binary: bool
) -> None:
    with kept.prepared_cursor(binary=binary) as cursor:  # type: ignore[attr-defined]  # a method of our engine
        cursor.execute(
            "SELECT %s::bigint, .1::float8, '\u00fc'::text, '{a,\u00fc}'::text[], '2026-03-01 12:00+05:30'::timestamptz"
            ", NULL::float8",
            [2**40],
        )
        values = cursor.fetchone()

    assert values == (2**40, 0.1, "\u00fc", ["a", "\u00fc"], datetime(2026, 3, 1, 6, 30, tzinfo=UTC), None)
    assert values[4].tzinfo is UTC
