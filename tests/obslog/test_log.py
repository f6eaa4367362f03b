"""Appending observations and reading them in pages: results, limits, cursors and their order."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.fixtures import DjangoAssertNumQueries

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of, uuid7
from memoryserver.errors import InvalidInputError
from memoryserver.reported_times import EARLIEST_CREDIBLE
from obslog import log
from obslog.cursor import Order
from obslog.errors import IdTakenError, InvalidObservationError
from obslog.incoming import NewObservation
from obslog.log import Receipt
from obslog.models import Observation
from obslog.query import Filter
from tests.obslog.plain_log import any_inputs, appended, filters, ids, matching, observations, orders
from tests.support.rows.observations import MOMENT, new


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


def test_first_moment_of_agents_is_taken(alice: User) -> None:
    first = int(EARLIEST_CREDIBLE.timestamp()) * 1000
    log.append(alice, new(created_at=first))

    assert Observation.objects.get().created_at == first


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


@any_inputs
@given(
    before=st.lists(observations, max_size=10),
    between=st.lists(st.lists(observations, max_size=3), max_size=6),
    wanted=filters,
    limit=st.integers(1, 5),
    order=orders,
)
def test_pages_joined_are_the_whole_while_others_append(
    alice: User,
    before: list[NewObservation],
    between: list[list[NewObservation]],
    wanted: Filter,
    limit: int,
    order: Order,
) -> None:
    with transaction.atomic():
        entries = appended(alice, before)
        found: list[Any] = []
        cursor = None
        while True:
            page = log.find_many(alice, wanted, limit=limit, order=order, cursor=cursor)
            assert ids(page) == sorted(ids(page), reverse=order == "desc")
            found += ids(page)
            cursor = page.cursor
            if between:
                entries += appended(alice, between.pop())
            elif not page.more:
                break
        last = log.find_many(alice, wanted, limit=1000, order=order, cursor=cursor)
        found += ids(last)
        assert sorted(found) == sorted(matching(entries, wanted))
        transaction.set_rollback(True)


@any_inputs
@given(before=st.lists(observations, max_size=10), after=st.lists(observations, max_size=5), wanted=filters)
def test_cursor_of_the_recent_gives_what_came_after(
    alice: User, before: list[NewObservation], after: list[NewObservation], wanted: Filter
) -> None:
    with transaction.atomic():
        appended(alice, before)
        recent = log.find_recent(alice, wanted, limit=3)
        entries = appended(alice, after)
        assert ids(log.find_many(alice, wanted, cursor=recent.cursor)) == matching(entries, wanted)
        transaction.set_rollback(True)


@any_inputs
@given(news=st.lists(observations, max_size=12), cuts=st.lists(st.integers(0, 3), min_size=1, max_size=6), order=orders)
def test_page_cut_short_goes_on_where_it_was_cut(
    alice: User, news: list[NewObservation], cuts: list[int], order: Order
) -> None:
    with transaction.atomic():
        entries = appended(alice, news)
        found: list[Any] = []
        cursor = None
        for cut in [*cuts, 1000, 1000]:
            page = log.find_many(alice, limit=4 if cut < 1000 else 1000, order=order, cursor=cursor).first(cut)
            found += ids(page)
            cursor = page.cursor
        assert sorted(found) == sorted(matching(entries, Filter()))
        assert not page.more
        transaction.set_rollback(True)


def test_defaults_are_fifty_for_the_query_and_a_hundred_for_the_recent(alice: User) -> None:
    entries = appended(alice, [new() for _ in range(120)])

    assert ids(log.find_many(alice)) == [entry.id for entry in entries[:50]]
    assert ids(log.find_recent(alice)) == [entry.id for entry in entries[20:]]


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limit_out_of_range_is_an_error(alice: User, limit: int) -> None:
    with pytest.raises(InvalidInputError, match="limit must be from 1 to 1000"):
        log.find_many(alice, limit=limit)
    with pytest.raises(InvalidInputError, match="limit must be from 1 to 1000"):
        log.find_recent(alice, limit=limit)


@pytest.mark.parametrize("offset", [-1, 10_000_001])
def test_offset_out_of_range_is_an_error(alice: User, offset: int) -> None:
    with pytest.raises(InvalidInputError, match="offset must be from 0 to 10000000"):
        log.find_many(alice, offset=offset)


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1-", "1.asc", "1.up." + "0" * 32, "9" * 16, "1\n", "١"])
def test_cursor_that_is_none_is_an_error(alice: User, cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor is invalid"):
        log.find_many(alice, cursor=cursor)


def test_cursor_beside_an_offset_is_an_error(alice: User) -> None:
    with pytest.raises(InvalidInputError, match="omit offset"):
        log.find_many(alice, cursor=log.find_many(alice).cursor, offset=1)


def test_cursor_in_the_middle_of_pages_keeps_its_order(alice: User) -> None:
    appended(alice, [new(), new()])
    cursor = log.find_many(alice, limit=1, order="desc").cursor

    with pytest.raises(InvalidInputError, match="this cursor requires order 'desc'"):
        log.find_many(alice, cursor=cursor)
