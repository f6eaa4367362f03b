"""What the models of the log add to their fields: the time in the id, protected users, the row's texts."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import ProtectedError

from memoryserver.accounts.models import User
from memoryserver.common.ids import uuid7
from obslog import log
from obslog.models import Observation, Scope, SearchMark, Unembedded
from tests.support.rows.observations import MOMENT, new


def test_id_and_time_that_do_not_fit_cannot_be_inserted(alice: User) -> None:
    for identifier, moment in [(uuid7(MOMENT), MOMENT + 1), (uuid7(MOMENT), MOMENT - 1)]:
        with pytest.raises(DatabaseError, match="obslog_observation_time_in_id"), transaction.atomic():
            Observation.objects.create(
                id=identifier, user=alice, type="a", source="a:b", message="c", created_at=moment
            )


def test_user_with_observations_cannot_be_deleted(row: Observation, alice: User) -> None:
    with pytest.raises(ProtectedError, match=r"'Observation\.user'"):
        alice.delete()
    with pytest.raises(ProtectedError, match=r"'Observation\.user'"):
        User.objects.filter(pk=alice.pk).delete()
    with (
        pytest.raises(DatabaseError, match="obslog_observation_user_id_fkey"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM accounts_user WHERE id = %s", [alice.pk])


def test_user_without_observations_can_be_deleted(row: Observation, charlie: User) -> None:
    charlie.delete()

    assert not User.objects.filter(username="charlie").exists()


def test_observations_are_ordered_by_their_time(alice: User) -> None:
    for step in (2, 0, 1):
        log.append(alice, new(created_at=MOMENT + step))

    assert [row.created_at for row in Observation.objects.all()] == [MOMENT, MOMENT + 1, MOMENT + 2]


@pytest.mark.parametrize(("source", "category"), [("agent:abc", "agent"), ("ci:a:b", "ci"), ("system:", "system")])
def test_category_is_the_source_up_to_its_first_colon(source: str, category: str, alice: User) -> None:
    row = Observation.objects.create(
        id=uuid7(MOMENT), user=alice, type="a", source=source, message="c", created_at=MOMENT
    )

    row.refresh_from_db()
    assert row.category == category


def test_arrival_numbers_observations_in_the_order_of_their_insertion(alice: User) -> None:
    late, early = log.append(alice, new(created_at=MOMENT + 1)), log.append(alice, new(created_at=MOMENT))

    by_arrival = Observation.objects.order_by("arrival").values_list("id", flat=True)
    assert list(by_arrival) == [late.id, early.id]


def test_scope_ids_of_a_row_are_sorted_and_read_once(alice: User, django_assert_num_queries: Any) -> None:
    log.append(alice, new(scope_ids=["b", "a"]))
    row = Observation.objects.get()

    with django_assert_num_queries(1):
        assert (row.scope_ids, row.scope_ids) == (["a", "b"], ["a", "b"])


def test_rows_are_shown_by_what_names_them(alice: User) -> None:
    log.append(alice, new(type="task.done", message="finished", scope_ids=["task-1"]))
    identifier = uuid7(MOMENT)

    assert str(Observation.objects.get()) == "task.done: finished"
    assert str(Scope.objects.get()) == "task-1"
    assert str(SearchMark(arrival=7)) == "arrival 7"
    assert str(Unembedded(observation_id=identifier)) == f"observation {identifier}"


def test_observation_waits_to_be_embedded_once(db: None) -> None:
    identifier = uuid7(MOMENT)
    Unembedded.objects.create(observation_id=identifier)

    with pytest.raises(IntegrityError, match="observation_id"), transaction.atomic():
        Unembedded.objects.create(observation_id=identifier)
