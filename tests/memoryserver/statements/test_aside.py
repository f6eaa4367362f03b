"""What is written beside an answer: one round trip that waits for no disk, and does no harm to a transaction."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from memoryserver.limits.models import Counter
from memoryserver.statements import aside

INSERT = 'INSERT INTO limits_counter (key, "window", count) VALUES (%s, 0, 1)'


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


@pytest.mark.django_db
def test_statement_that_fails_undoes_nothing_of_the_callers_transaction() -> None:
    with transaction.atomic():
        aside.write(INSERT, ["a"])
        with pytest.raises(DatabaseError):
            aside.write(INSERT, ["a"])
        aside.write(INSERT, ["b"])

    assert sorted(Counter.objects.values_list("key", flat=True)) == ["a", "b"]
