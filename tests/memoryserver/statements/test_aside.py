"""What is written beside an answer: one round trip that waits for no disk, and does no harm to a transaction."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from memoryserver.limits.models import Counter
from memoryserver.statements import aside

INSERT = 'INSERT INTO limits_counter (key, "window", count) VALUES (%s, 0, 1)'


def write(*keys: str) -> None:
    for key in keys:
        aside.write(INSERT, [key])


@pytest.mark.django_db(transaction=True)
def test_statement_is_one_round_trip_that_changes_no_setting_for_others() -> None:
    with CaptureQueriesContext(connection) as captured:
        aside.write(INSERT, ["a"])
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        setting = cursor.fetchone()

    assert (len(captured), setting, Counter.objects.get().key) == (1, ("on",), "a")


@pytest.mark.django_db(transaction=True)
def test_statement_that_fails_leaves_the_connection_usable() -> None:
    aside.write(INSERT, ["a"])
    with pytest.raises(DatabaseError):
        aside.write(INSERT, ["a"])

    assert Counter.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_statements_together_are_one_round_trip_and_one_transaction() -> None:
    with CaptureQueriesContext(connection) as captured, aside.together():
        write("100 % of a", "b")
    with pytest.raises(DatabaseError), aside.together():
        write("c", "b")

    assert (len(captured), sorted(Counter.objects.values_list("key", flat=True))) == (1, ["100 % of a", "b"])


@pytest.mark.django_db
def test_statements_together_that_fail_undo_nothing_of_the_callers_transaction() -> None:
    with transaction.atomic():
        aside.write(INSERT, ["a"])
        with pytest.raises(DatabaseError), aside.together():
            write("b", "a")

    assert [counter.key for counter in Counter.objects.all()] == ["a"]


@pytest.mark.django_db
def test_nothing_together_is_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0), aside.together():
        pass


@pytest.mark.django_db
def test_statement_that_fails_undoes_nothing_of_the_callers_transaction() -> None:
    with transaction.atomic():
        aside.write(INSERT, ["a"])
        with pytest.raises(DatabaseError):
            aside.write(INSERT, ["a"])
        aside.write(INSERT, ["b"])

    assert sorted(Counter.objects.values_list("key", flat=True)) == ["a", "b"]
