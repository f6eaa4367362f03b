"""Filters: any set of observations and any filter return what a filter over a plain list returns."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.accounts.models import User
from memoryserver.errors import InvalidInputError
from obslog import log
from obslog.cursor import Order
from obslog.incoming import NewObservation
from obslog.models import Observation
from obslog.query import Filter
from tests.obslog.plain_log import any_inputs, appended, filters, ids, matching, observations, orders
from tests.support.rows.observations import MOMENT, new


@any_inputs
@given(
    mine=st.lists(observations, max_size=12),
    others=st.lists(observations, max_size=3),
    wanted=st.lists(filters, min_size=4, max_size=4),
    limit=st.integers(1, 13),
    offset=st.integers(0, 4),
    order=orders,
)
def test_any_filter_gives_what_a_plain_one_gives(
    alice: User,
    charlie: User,
    mine: list[NewObservation],
    others: list[NewObservation],
    wanted: list[Filter],
    limit: int,
    offset: int,
    order: Order,
) -> None:
    with transaction.atomic():
        entries = appended(alice, mine)
        appended(charlie, others)
        for each in wanted:
            expected = matching(entries, each, order)
            many = log.find_many(alice, each, limit=limit, offset=offset, order=order)
            assert ids(many) == expected[offset : offset + limit]
            assert many.more == (len(expected) > offset + limit)
            recent = log.find_recent(alice, each, limit=limit, order=order)
            newest = expected[:limit] if order == "desc" else expected[-limit:]
            assert ids(recent) == newest
            assert not recent.more
        transaction.set_rollback(True)


def test_entry_about_several_of_the_scope_ids_comes_once(alice: User) -> None:
    receipt = log.append(alice, new(scope_ids=["a", "b", "c"]))

    assert ids(log.find_many(alice, Filter(scope_ids=["a", "b", "a"]))) == [receipt.id]


def test_after_is_inclusive_and_before_exclusive(alice: User) -> None:
    first, second, _ = appended(alice, [new(created_at=MOMENT + step) for step in range(3)])

    assert ids(log.find_many(alice, Filter(after_date=MOMENT, before_date=MOMENT + 2))) == [first.id, second.id]


def test_percent_underscore_and_backslash_of_a_prefix_mean_themselves(alice: User) -> None:
    sources = ["agent:50%x", "agent:50_x", "agent:50\\x", "agent:500"]
    entries = {source: log.append(alice, new(source=source)).id for source in sources}

    for prefix in ["agent:50%", "agent:50_", "agent:50\\"]:
        assert ids(log.find_many(alice, Filter(source=prefix))) == [entries[prefix + "x"]]


def test_nobody_finds_the_observations_of_another_or_of_the_server(alice: User, bob: User, charlie: User) -> None:
    log.append(alice, new(scope_ids=["t"]))
    log.append(None, new(scope_ids=["t"]))

    for stranger in (bob, charlie):
        for wanted in (Filter(), Filter(scope_ids=["t"]), Filter(source="agent:"), Filter(type="task.updated")):
            assert not log.find_many(stranger, wanted).picked
            assert not log.find_recent(stranger, wanted).picked


def test_person_who_was_deactivated_finds_nothing(alice: User) -> None:
    log.append(alice, new(scope_ids=["t"]))
    alice.is_active = False

    for wanted in (Filter(), Filter(scope_ids=["t"])):
        assert not log.find_many(alice, wanted).picked


@pytest.mark.parametrize("scope_ids", [[""], ["x" * 201], ["x"] * 101])
def test_scope_ids_that_no_observation_can_have_are_an_error(scope_ids: list[str]) -> None:
    with pytest.raises(InvalidInputError):
        Filter(scope_ids=scope_ids)


def test_scope_ids_are_loaded_with_as_many_queries_for_many_as_for_one(
    alice: User, django_assert_num_queries: Any
) -> None:
    log.append(alice, new(scope_ids=["a"]))
    with django_assert_num_queries(4):
        assert [row.scope_ids for row in log.find_many(alice).observations] == [["a"]]
    appended(alice, [new(scope_ids=["a", "b"]) for _ in range(5)])
    with django_assert_num_queries(4):
        assert [row.scope_ids for row in log.find_many(alice).observations] == [["a"], *[["a", "b"]] * 5]


def test_following_asks_once_when_nothing_is_new(alice: User, charlie: User, django_assert_num_queries: Any) -> None:
    appended(alice, [new() for _ in range(3)])
    cursor = log.find_many(alice).cursor
    appended(charlie, [new()])

    with django_assert_num_queries(1):
        page = log.find_many(alice, Filter(type="never"), cursor=cursor)
    assert (page.observations, page.cursor, page.more) == ([], cursor, False)


def test_following_does_not_look_again_at_what_did_not_match(alice: User, django_assert_num_queries: Any) -> None:
    cursor = log.find_many(alice).cursor
    appended(alice, [new() for _ in range(3)])
    passed_by = log.find_many(alice, Filter(type="never"), cursor=cursor)

    assert passed_by.cursor != cursor
    with django_assert_num_queries(1):
        log.find_many(alice, Filter(type="never"), cursor=passed_by.cursor)
    assert Observation.objects.count() == 3
