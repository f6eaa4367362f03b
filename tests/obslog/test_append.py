"""Appending: what is stored, what is refused and why, and that sending again does no harm."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of, uuid7
from obslog import log
from obslog.errors import IdTakenError, InvalidObservationError
from obslog.incoming import NewObservation
from obslog.log import Receipt
from obslog.models import Observation
from tests.obslog.entries import MOMENT, new


def test_observation_is_stored_with_all_its_fields(alice: User) -> None:
    identifier = uuid7(MOMENT)

    receipt = log.append(
        alice,
        NewObservation(
            type="task.updated",
            source="agent:abc123",
            message="the task moved on",
            details="from open\nto done",
            data={"from": "open", "to": "done"},
            scope_ids=["task-1", "agent-1"],
            created_at=MOMENT,
            id=identifier,
        ),
    )

    row = Observation.objects.get()
    assert receipt == Receipt(identifier, "stored")
    assert (row.id, row.user, row.type, row.source) == (identifier, alice, "task.updated", "agent:abc123")
    assert (row.message, row.details) == ("the task moved on", "from open\nto done")
    assert (row.data, row.scope_ids) == ({"from": "open", "to": "done"}, ["agent-1", "task-1"])
    assert (row.created_at, row.category) == (MOMENT, "agent")


def test_observation_without_id_and_time_gets_those_of_now(alice: User) -> None:
    before = milliseconds_of(uuid7())
    receipt = log.append(alice, new())
    after = milliseconds_of(uuid7())

    row = Observation.objects.get()
    assert row.pk == receipt.id
    assert before <= row.created_at <= after
    assert row.created_at == milliseconds_of(row.id)


def test_time_alone_makes_the_id(alice: User) -> None:
    receipt = log.append(alice, new(created_at=MOMENT))

    assert receipt.id is not None
    assert milliseconds_of(receipt.id) == MOMENT


def test_id_alone_makes_the_time(alice: User) -> None:
    log.append(alice, new(id=uuid7(MOMENT)))

    assert Observation.objects.get().created_at == MOMENT


def test_time_that_is_not_the_ids_is_refused(alice: User) -> None:
    with pytest.raises(InvalidObservationError) as error:
        log.append(alice, new(id=uuid7(MOMENT), created_at=MOMENT + 1))

    assert str(error.value) == f"created_at is not the time in the id ({MOMENT}); omit one of the two"


@pytest.mark.parametrize("identifier", [uuid.uuid4(), uuid7(2**48 - 1), uuid.UUID(int=0)])
def test_id_that_is_no_uuid7_of_a_real_time_is_refused(alice: User, identifier: uuid.UUID) -> None:
    with pytest.raises(InvalidObservationError, match="id must be a UUIDv7 of before the year 10000"):
        log.append(alice, new(id=identifier))


@pytest.mark.parametrize("moment", [-1, 253_402_300_800_000])
def test_time_outside_of_the_calendar_is_refused(alice: User, moment: int) -> None:
    with pytest.raises(InvalidObservationError, match="created_at must be Unix milliseconds before the year 10000"):
        log.append(alice, new(created_at=moment))


@pytest.mark.parametrize("moment", [0, 253_402_300_799_999])
def test_first_and_last_moment_are_taken(alice: User, moment: int) -> None:
    log.append(alice, new(created_at=moment))

    assert Observation.objects.get().created_at == moment


def test_same_id_again_changes_nothing(alice: User) -> None:
    identifier = uuid7()
    log.append(alice, new(id=identifier, message="first", scope_ids=["a"]))

    receipt = log.append(alice, new(id=identifier, message="second", scope_ids=["b"]))

    row = Observation.objects.get()
    assert receipt == Receipt(identifier, "unchanged")
    assert (row.message, row.scope_ids) == ("first", ["a"])


def test_id_of_somebody_elses_observation_is_refused_and_says_nothing_of_it(alice: User, charlie: User) -> None:
    identifier = uuid7()
    log.append(alice, new(id=identifier, message="secret"))

    with pytest.raises(IdTakenError) as error:
        log.append(charlie, new(id=identifier))

    assert str(error.value) == "another user's observation has this id; use a new one"
    assert Observation.objects.get().user == alice


def test_id_of_the_servers_own_observation_is_refused(alice: User) -> None:
    identifier = uuid7()
    log.append(None, new(id=identifier))

    with pytest.raises(IdTakenError):
        log.append(alice, new(id=identifier))


def test_batch_gives_a_result_for_each_in_order(alice: User, charlie: User) -> None:
    known, foreign, fresh = uuid7(), uuid7(), uuid7()
    log.append(alice, new(id=known))
    log.append(charlie, new(id=foreign))

    receipts = log.append_all(
        alice,
        [
            new(id=fresh, message="first"),
            new(id=known),
            new(source="nowhere"),
            new(id=foreign),
            new(id=fresh, message="second"),
        ],
    )

    assert receipts == [
        Receipt(fresh, "stored"),
        Receipt(known, "unchanged"),
        Receipt(None, "refused", "source must be category:identifier, such as agent:abc123"),
        Receipt(foreign, "refused", "another user's observation has this id; use a new one"),
        Receipt(fresh, "unchanged"),
    ]
    assert Observation.objects.get(pk=fresh).message == "first"


def test_batch_of_500_is_one_round_trip(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    batch = [new(message=f"number {number}", scope_ids=[f"task-{number}", "all"]) for number in range(500)]

    with django_assert_num_queries(1):
        receipts = log.append_all(alice, batch)

    assert {receipt.status for receipt in receipts} == {"stored"}
    assert Observation.objects.filter(scopes__scope_id="all").count() == 500


def test_batch_of_501_is_refused_whole(alice: User) -> None:
    with pytest.raises(InvalidObservationError, match="a batch has at most 500 observations"):
        log.append_all(alice, [new()] * 501)

    assert not Observation.objects.exists()


def test_batch_of_nothing_but_bad_ones_asks_the_database_nothing(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        (receipt,) = log.append_all(alice, [new(message=" ")])

    assert receipt.status == "refused"


@pytest.mark.parametrize("times", [{}, {"created_at": MOMENT}])
def test_order_of_a_batch_without_ids_is_kept(alice: User, times: dict[str, Any]) -> None:
    log.append_all(alice, [new(message=str(number), **times) for number in range(100)])

    assert [int(row.message) for row in Observation.objects.order_by("id")] == list(range(100))


def test_scope_id_given_twice_is_kept_once(alice: User) -> None:
    log.append(alice, new(scope_ids=["a", "b", "a"]))

    assert Observation.objects.get().scope_ids == ["a", "b"]


def test_failure_in_the_middle_stores_neither_observation_nor_scopes(alice: User) -> None:
    from django.db import DatabaseError, connection, transaction

    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE obslog_scope ADD CONSTRAINT no_bad CHECK (scope_id <> 'bad')")
    with pytest.raises(DatabaseError), transaction.atomic():
        log.append_all(alice, [new(scope_ids=["good"]), new(scope_ids=["bad"])])

    assert not Observation.objects.exists()
