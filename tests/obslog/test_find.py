"""Asking the log: any set of observations and any filter give what a plain filter over a list gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryserver.accounts.models import User
from obslog import log
from obslog.cursor import Order
from obslog.errors import InvalidQueryError
from obslog.incoming import NewObservation
from obslog.models import Observation
from obslog.query import Filter
from tests.obslog.entries import MOMENT, new

TYPES = ["task.updated", "task.done", "memory.extracted"]
SOURCES = ["agent:a", "agent:ab", "agent:a%", "agent:a_", "agent:a\\", "agents:a", "plugin:a", "agent:é", "Agent:a"]
SCOPES = ["t1", "t2", "%", "_", "\\", "t1 ", "é", "it's", '"', "a,b", "{}"]
TIMES = st.integers(MOMENT, MOMENT + 5) | st.sampled_from([0, 86_400_000, MOMENT + 40 * 86_400_000, 4_102_444_800_000])

observations = st.builds(
    NewObservation,
    type=st.sampled_from(TYPES),
    source=st.sampled_from(SOURCES),
    message=st.just("moved on"),
    scope_ids=st.lists(st.sampled_from(SCOPES), max_size=4),
    created_at=TIMES,
)
filters = st.builds(
    Filter,
    type=st.none() | st.sampled_from([*TYPES, "task"]),
    source=st.none() | st.sampled_from([*SOURCES, "", "a", "agent", "agent:", "agent:%", "agent:_", ":", "plugin:"]),
    scope_ids=st.lists(st.sampled_from([*SCOPES, "nothing"]), max_size=3),
    after_date=st.none() | TIMES | st.sampled_from([-1, 2**60]),
    before_date=st.none() | TIMES | st.sampled_from([-1, 2**60]),
)
orders: st.SearchStrategy[Order] = st.sampled_from(["asc", "desc"])


@dataclass(frozen=True)
class Plain:
    """An observation of the list that stands against the log."""

    id: Any
    new: NewObservation

    def matches(self, wanted: Filter) -> bool:
        moment = self.new.created_at
        assert moment is not None
        return (
            (wanted.type is None or self.new.type == wanted.type)
            and (wanted.source is None or self.new.source.startswith(wanted.source))
            and (not wanted.scope_ids or bool(set(wanted.scope_ids) & set(self.new.scope_ids)))
            and (wanted.after_date is None or moment >= wanted.after_date)
            and (wanted.before_date is None or moment < wanted.before_date)
        )


def matching(entries: list[Plain], wanted: Filter, order: Order = "asc") -> list[Any]:
    found = [entry for entry in entries if entry.matches(wanted)]
    found.sort(key=lambda entry: (entry.new.created_at, entry.id), reverse=order == "desc")
    return [entry.id for entry in found]


def ids(page: log.Page) -> list[Any]:
    return [row.id for row in page.observations]


def appended(user: User, news: list[NewObservation]) -> list[Plain]:
    receipts = log.append_all(user, news)
    return [Plain(receipt.id, new) for receipt, new in zip(receipts, news, strict=True)]


examples = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@examples
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


@examples
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


@examples
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


@examples
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


def test_defaults_are_fifty_for_the_query_and_a_hundred_for_the_recent(alice: User) -> None:
    entries = appended(alice, [new() for _ in range(120)])

    assert ids(log.find_many(alice)) == [entry.id for entry in entries[:50]]
    assert ids(log.find_recent(alice)) == [entry.id for entry in entries[20:]]


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limit_out_of_range_is_an_error(alice: User, limit: int) -> None:
    with pytest.raises(InvalidQueryError, match="limit must be from 1 to 1000"):
        log.find_many(alice, limit=limit)
    with pytest.raises(InvalidQueryError, match="limit must be from 1 to 1000"):
        log.find_recent(alice, limit=limit)


@pytest.mark.parametrize("offset", [-1, 10_000_001])
def test_offset_out_of_range_is_an_error(alice: User, offset: int) -> None:
    with pytest.raises(InvalidQueryError, match="offset must be from 0 to 10000000"):
        log.find_many(alice, offset=offset)


@pytest.mark.parametrize("scope_ids", [[""], ["x" * 201], ["x"] * 101])
def test_scope_ids_that_no_observation_can_have_are_an_error(scope_ids: list[str]) -> None:
    with pytest.raises(InvalidQueryError):
        Filter(scope_ids=scope_ids)


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1-", "1.asc", "1.up." + "0" * 32, "9" * 16, "1\n", "١"])
def test_cursor_that_is_none_is_an_error(alice: User, cursor: str) -> None:
    with pytest.raises(InvalidQueryError, match="cursor is invalid"):
        log.find_many(alice, cursor=cursor)


def test_cursor_beside_an_offset_is_an_error(alice: User) -> None:
    with pytest.raises(InvalidQueryError, match="omit offset"):
        log.find_many(alice, cursor=log.find_many(alice).cursor, offset=1)


def test_cursor_in_the_middle_of_pages_keeps_its_order(alice: User) -> None:
    appended(alice, [new(), new()])
    cursor = log.find_many(alice, limit=1, order="desc").cursor

    with pytest.raises(InvalidQueryError, match="this cursor requires order 'desc'"):
        log.find_many(alice, cursor=cursor)


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
