"""The horizon: which arrivals are settled, read from the locks of those who append; and a cursor's text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from memoryserver.accounts.models import User
from obslog import cursor as cursors
from obslog.cursor import Cursor
from tests.obslog.others import Other

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def locked_from(arrival: int) -> Iterator[None]:
    """As if a transaction were under way that began to append after `arrival`."""
    upper, lower = 28514 << 16 | arrival >> 32, arrival & 0xFFFFFFFF
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s, %s)", [upper, lower - (lower >> 31 << 32)])
        yield
        cursor.execute("SELECT pg_advisory_unlock_all()")
    other.close()


@pytest.mark.parametrize("arrival", [0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40 + 2**31 + 5, 2**47])
def test_horizon_reads_the_number_of_a_lock_back_whole(alice: User, arrival: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('obslog_arrival', %s)", [2**48 - 10])
        with locked_from(arrival):
            cursor.execute("SELECT obslog_horizon()")
            assert cursor.fetchone() == (arrival,)
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**48 - 10,)
        cursor.execute("SELECT setval('obslog_arrival', 100)")


def test_lock_of_one_who_appends_names_the_arrival_before_its_own(alice: User, others: list[Other]) -> None:
    slow, _ = others
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('obslog_arrival', %s)", [2**40 + 2**31 + 5])
        slow.append(alice, "slow")
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**40 + 2**31 + 5,)
        slow.commit()
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**40 + 2**31 + 6,)
        cursor.execute("SELECT setval('obslog_arrival', 100)")


def test_text_of_a_cursor_is_read_back_as_it_was() -> None:
    assert str(Cursor(7, (9, 12))) == "7-2-3"
    assert cursors.parse("7-2-3") == Cursor(7, (9, 12))
