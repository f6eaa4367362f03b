from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Count
from django.http import QueryDict

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import PageScope, project_keys, scope_of
from tests.support.ghap_entries import body

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.mark.parametrize(("query", "days"), [("", 7), ("days=30", 30), ("days=31", 7), ("days=x", 7), ("days=", 7)])
def test_period_is_one_of_the_choices(query: str, days: int, alice: User) -> None:
    assert scope_of(alice, QueryDict(query)).days == days


def test_period_is_compared_with_the_one_before_it(alice: User) -> None:
    scope = PageScope(alice, "", 7, NOW)
    assert (scope.since, scope.before) == (NOW - timedelta(days=7), NOW - timedelta(days=14))


@pytest.mark.parametrize(
    ("ago", "week"),
    [
        (timedelta(0), 11),
        (timedelta(days=7, seconds=-1), 11),
        (timedelta(days=7), 10),
        (timedelta(weeks=12, seconds=-1), 0),
        (timedelta(weeks=12), None),
        (timedelta(seconds=-1), None),
    ],
)
def test_row_counts_in_the_week_that_is_counted_back_from_now(ago: timedelta, week: int | None, alice: User) -> None:
    receive(alice, None, [body()])
    Entry.objects.update(captured_at=NOW - ago)
    scope = PageScope(alice, "", 7, NOW)
    counts = [counted["entries"] for counted in scope.by_week(Entry.objects.all(), "captured_at", entries=Count("pk"))]
    assert counts == [int(number == week) for number in range(len(scope.week_starts))]


def test_rows_are_the_visible_ones_of_the_project(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body()])
    receive(alice, None, [body(id="ghap_20261120_150000_a1b2c3")])

    def count(user: User, project: str) -> int:
        return PageScope(user, project, 7, NOW).rows(Entry.objects.all()).count()

    everything = [count(user, "") for user in (alice, bob, charlie)]
    of_project = [count(user, "github.com/crew/shop") for user in (alice, bob, charlie)]
    assert (everything, of_project, count(alice, "other")) == ([2, 1, 0], [1, 1, 0], 0)
    assert [project_keys(user) for user in (bob, charlie)] == [["github.com/crew/shop"], []]
