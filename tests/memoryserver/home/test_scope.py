from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import ANY_TIME, PageScope, bar_of, query_of, scope_of
from tests.support.rows.ghap_entries import body

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.mark.parametrize(("query", "days"), [("", 7), ("days=30", 30), ("days=31", 7), ("days=x", 7), ("days=", 7)])
def test_period_is_one_of_the_choices(query: str, days: int, alice: User) -> None:
    assert scope_of(alice, QueryDict(query)).days == days


@pytest.mark.parametrize(("query", "days"), [("", 0), ("days=30", 30), ("days=x", 0)])
def test_list_shows_any_time_unless_a_period_is_chosen(query: str, days: int, alice: User) -> None:
    scope = scope_of(alice, QueryDict(query), ANY_TIME)
    assert (scope.days, bar_of(scope, ANY_TIME).days) == (days, str(days or ""))
    assert (scope.since.year == 1) == (days == 0)


def test_period_is_compared_with_the_one_before_it(alice: User) -> None:
    scope = PageScope(alice, "", 7, NOW)
    assert (scope.since, scope.before) == (NOW - timedelta(days=7), NOW - timedelta(days=14))


def test_period_that_is_over_has_no_row_from_its_end_on(alice: User) -> None:
    receive(alice, None, [body()])
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    scope = PageScope(alice, "", 7, NOW, until=monday)

    def is_within(moment: datetime) -> bool:
        Entry.objects.update(captured_at=moment)
        return Entry.objects.filter(scope.within("captured_at")).exists()

    moments = [monday - timedelta(days=7, seconds=1), monday - timedelta(days=7), monday - timedelta(seconds=1), monday]
    assert [is_within(moment) for moment in moments] == [False, True, True, False]


@pytest.mark.parametrize(
    ("days", "until", "within"),
    [
        (7, None, [False, True, True, True]),
        (7, NOW, [False, True, True, False]),
        (0, None, [True, True, True, True]),
        (0, NOW, [True, True, True, False]),
    ],
)
def test_compared_are_the_period_and_the_one_before(
    days: int, until: datetime | None, within: list[bool], alice: User
) -> None:
    receive(alice, None, [body()])
    scope = PageScope(alice, "", days, NOW, until=until)

    def is_compared(moment: datetime) -> bool:
        Entry.objects.update(captured_at=moment)
        return Entry.objects.filter(scope.compared("captured_at")).exists()

    begun = NOW - timedelta(days=14)
    moments = [begun - timedelta(seconds=1), begun, NOW - timedelta(seconds=1), NOW]
    assert [is_compared(moment) for moment in moments] == within


def test_link_has_the_scope_and_what_is_asked_for(alice: User) -> None:
    everything, narrow = PageScope(alice, "", 0, NOW), PageScope(alice, "a/b", 7, NOW, "crew")
    assert everything.link("ghap-entries") == "/entries/"
    assert narrow.link("ghap-entries", tier="sound") == "/entries/?team=crew&project=a%2Fb&days=7&tier=sound"
    assert narrow.link("ghap-entry", 5, project="", days="") == "/entries/5/?team=crew"


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


def test_team_narrows_to_its_projects(alice: User, shared_project: Project) -> None:
    private = Project.objects.create(owner=alice, key="scratch")
    for number, project in enumerate([shared_project, private, None]):
        receive(alice, project, [body(id=f"ghap_20261120_150000_{number:06x}")])

    def shown(query: str) -> list[str | None]:
        scope = scope_of(alice, QueryDict(query), ANY_TIME)
        rows = Entry.objects.filter(scope.within("captured_at")).order_by("ghap_id")
        assert list(rows) == list(scope.rows(Entry.objects.order_by("ghap_id")))
        return [row.project.key if row.project else None for row in rows]

    assert shown("") == [shared_project.key, "scratch", None]
    assert shown("team=crew") == [shared_project.key]
    assert shown("team=crew&project=scratch") == [shared_project.key]  # not a project of that team
    assert shown("team=other&project=none") == [shared_project.key, "scratch", None]  # as the scope bar then says


def test_bar_offers_what_the_user_may_see_by_short_names(alice: User, bob: User, shared_project: Project) -> None:
    for key in ("gitlab.com/a/cart", "gitlab.com/b/cart"):
        Project.objects.create(owner=alice, key=key)

    offered = bar_of(scope_of(alice, QueryDict("")))
    assert [(choice.key, choice.name, choice.teams) for choice in offered.projects] == [
        ("github.com/crew/shop", "shop", ["crew"]),
        ("gitlab.com/a/cart", "gitlab.com/a/cart", []),
        ("gitlab.com/b/cart", "gitlab.com/b/cart", []),
    ]
    assert (offered.teams, list(offered.periods)) == (["crew"], ["7", "30", "90"])
    assert list(bar_of(scope_of(bob, QueryDict("")), ANY_TIME).periods) == ["", "7", "30", "90"]


@pytest.mark.parametrize(
    ("params", "query"),
    [("", ""), ("q=x&cursor=y", ""), ("q=x&team=a b&project=&days=7", "?team=a+b&days=7")],
)
def test_scope_is_kept_and_nothing_else(params: str, query: str) -> None:
    assert query_of(QueryDict(params)) == query
