"""An outage of the database is told from other errors."""

from __future__ import annotations

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, InterfaceError, InternalError, OperationalError

from memoryserver.outages.errors import cannot_store, is_outage, reason_of
from tests.support.database.refused import refused


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (caused(OperationalError("connection failed"), refused()), True),
        (caused(OperationalError("terminated"), psycopg.errors.AdminShutdown()), True),
        (caused(OperationalError("starting up"), psycopg.errors.CannotConnectNow()), True),
        (caused(OperationalError("too many"), psycopg.errors.TooManyConnections()), True),
        (caused(OperationalError("lost"), psycopg.errors.ConnectionFailure()), True),
        (caused(InterfaceError("the connection is closed"), psycopg.InterfaceError()), True),
        (caused(RuntimeError("of a view"), caused(OperationalError("connection failed"), refused())), True),
        (InterfaceError("connection already closed"), True),
        (caused(OperationalError("cancelled"), psycopg.errors.QueryCanceled()), False),
        (caused(OperationalError("deadlock"), psycopg.errors.DeadlockDetected()), False),
        (caused(OperationalError("disk full"), psycopg.errors.DiskFull()), True),
        (caused(InternalError("read-only"), psycopg.errors.ReadOnlySqlTransaction()), True),
        (caused(IntegrityError("twice"), psycopg.errors.UniqueViolation()), False),
        (DatabaseError("other"), False),
        (RuntimeError("other"), False),
        (None, False),
    ],
    ids=str,
)
def test_only_a_connection_that_fails_or_a_database_that_stores_nothing_is_an_outage(
    error: Exception | None, expected: bool
) -> None:
    assert is_outage(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (caused(OperationalError("x"), psycopg.errors.DiskFull()), "the disk of the database is full"),
        (
            caused(InternalError("x"), psycopg.errors.ReadOnlySqlTransaction()),
            "the database takes no writes: it is read-only",
        ),
        (caused(OperationalError("connection failed"), refused()), ""),
        (None, ""),
    ],
    ids=str,
)
def test_what_keeps_the_database_from_storing_is_named(error: Exception | None, expected: str) -> None:
    assert cannot_store(error) == expected


def test_reason_is_the_first_line_of_a_bounded_length() -> None:
    assert reason_of(OperationalError("the first\n\tthe second")) == "the first"
    assert reason_of(OperationalError("x" * 300)) == "x" * 200
    assert reason_of(None) == ""
