"""Which entries a filter finds, and which one has an id."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from ghap.entries import Filter
from ghap.exchange import listing
from ghap.intake import receive
from ghap.models import Entry, OpenEntry
from ghap.unresolved.open_entries import SHOWN_DAYS
from ghap.unresolved.open_entries import receive as receive_open
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import RESOLVED, body

ID = "ghap_20261120_143022_a1b2c3"


def found(user: User, **filters: Any) -> list[str]:
    return [row.goal for row in listing.find(user, Filter(**{"outcome": "all", **filters}), limit=10).rows]


@pytest.fixture
def two(alice: User, shared_project: Project) -> None:
    """`early`, in the project and confirmed, and `late`, an hour later, in none and abandoned."""
    outcome = {"result": "seen", "auto_captured": False}
    early = outcome | {"status": "confirmed", "captured_at": "2026-11-20T14:50:00Z"}
    late = outcome | {"status": "abandoned", "captured_at": "2026-11-20T15:50:00Z"}
    receive(alice, shared_project, [body(goal="early", outcome=early, agent_session="agent-1")])
    receive(
        alice,
        None,
        [body(id="ghap_2", goal="late", outcome=late, session_id="s-2", domain="testing", strategy="ask-user")],
    )


@pytest.mark.parametrize(
    ("filters", "goals"),
    [
        ({}, ["late", "early"]),
        ({"project": "github.com/crew/shop"}, ["early"]),
        ({"session": "agent-1"}, ["early"]),
        ({"session": "s-2"}, ["late"]),
        ({"session": "\x00"}, []),
        ({"domain": "testing"}, ["late"]),
        ({"strategy": "ask-user"}, ["late"]),
        ({"outcome": "confirmed"}, ["early"]),
        ({"outcome": "abandoned"}, ["late"]),
        ({"outcome": "open"}, []),
        ({"since": RESOLVED + timedelta(seconds=1)}, ["late"]),
        ({"since": RESOLVED, "until": RESOLVED + timedelta(hours=1)}, ["early"]),
        ({"until": RESOLVED}, []),
    ],
)
def test_filter_finds_the_entries_that_match(filters: dict[str, Any], goals: list[str], alice: User, two: None) -> None:
    assert found(alice, **filters) == goals


@pytest.mark.parametrize(
    ("filters", "goals"),
    [
        ({}, ["second", "first"]),
        ({"project": "github.com/crew/shop"}, ["first"]),
        ({"session": "agent-1"}, ["first"]),
        ({"session": "s-2"}, ["second"]),
        ({"domain": "testing"}, ["second"]),
        ({"since": RESOLVED}, ["second"]),
        ({"until": RESOLVED}, ["first"]),
    ],
)
def test_filter_finds_open_entries_by_the_time_they_began(
    filters: dict[str, Any], goals: list[str], alice: User, shared_project: Project
) -> None:
    second = {"created_at": "2026-11-20T14:50:00Z", "session_id": "s-2", "domain": "testing"}
    receive_open(alice, shared_project, [body(id="ghap_1", goal="first", outcome=None, agent_session="agent-1")])
    receive_open(alice, None, [body(id="ghap_2", goal="second", outcome=None, **second)])

    assert found(alice, outcome="open", **filters) == goals
    assert found(alice) == []


def test_list_has_ones_own_and_the_teams_entries(
    alice: User, bob: User, charlie: User, two: None, shared_project: Project
) -> None:
    receive_open(alice, shared_project, [body(id="ghap_3", goal="now", outcome=None)])

    assert [found(user) for user in (alice, bob, charlie)] == [["late", "early"], ["early"], []]
    assert [found(user, outcome="open") for user in (alice, bob, charlie)] == [["now"], ["now"], []]


def test_list_reads_no_body_of_a_resolved_entry(
    alice: User, two: None, django_assert_num_queries: Callable[..., Any]
) -> None:
    with django_assert_num_queries(1):
        rows = listing.find(alice, Filter(outcome="all"), limit=10).rows
        assert [(row.user.username, row.project and row.project.key) for row in rows] == [
            ("alice", None),
            ("alice", "github.com/crew/shop"),
        ]
    assert "body" in rows[0].get_deferred_fields()


def test_of_one_id_ones_own_entry_comes_first_and_a_resolved_one_before_an_open_one(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive_open(bob, shared_project, [body(outcome=None)])
    unresolved = OpenEntry.objects.get()
    assert [listing.get(user, ID) for user in (alice, bob, charlie)] == [unresolved, unresolved, None]

    receive(alice, shared_project, [body()])
    hers = Entry.objects.get()
    assert [listing.get(user, ID) for user in (alice, bob, charlie)] == [hers, hers, None]

    receive(bob, shared_project, [body()])
    his = Entry.objects.get(user=bob)
    assert [listing.get(user, ID) for user in (alice, bob, charlie)] == [hers, his, None]
    assert listing.get(alice, "ghap_\x00") is None


def test_open_entry_that_is_reported_no_more_is_neither_listed_nor_shown(alice: User) -> None:
    receive_open(alice, None, [body(outcome=None)])
    OpenEntry.objects.update(reported_at=timezone.now() - timedelta(days=SHOWN_DAYS, minutes=1))

    assert (found(alice, outcome="open"), listing.get(alice, ID)) == ([], None)
