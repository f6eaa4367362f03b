"""The pages of failures that come back: by state, named, marked as solved, and what helped."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ghap import grouping
from ghap.models import Entry, Failure
from ghap.recurring import changes
from memoryserver.accounts.models import Project, User
from tests.ghap.pages.test_strategies import show
from tests.ghap.recurring.test_queries import failing
from tests.support.rows import many_rows


@pytest.fixture
def failure(alice: User, shared_project: Project) -> Failure:
    return failing(alice, shared_project, range(3))


def chips(page: str) -> dict[str, str]:
    """The number of failures of each chip."""
    return dict(re.findall(r'hx-trigger="change"> ([a-z ]+) <span class="count">(\d+)</span>', page))


def test_failure_is_listed_with_its_size_times_and_what_helped(failure: Failure, bob: User, charlie: User) -> None:
    status, page = show(bob, "/failures/")
    assert status == 200
    for words in ("Goal 0", "3 times in", "first ", "last ", "Twelve weeks, the last one not over:", ">helped<"):
        assert words in page
    assert "Goal 0" not in show(charlie, "/failures/")[1]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, False),
        ({"state": "odd"}, False),
        ({"state": "solved"}, True),
        ({"state": "all"}, True),
        ({"state": "open"}, False),
        ({"state": "all", "project": "another"}, False),
        ({"state": "all", "team": "crew"}, True),
    ],
)
def test_solved_failure_is_listed_under_its_state(
    query: dict[str, Any], shown: bool, failure: Failure, alice: User
) -> None:
    Project.objects.create(owner=alice, key="another")
    changes.change(alice, failure.pk, state="solved")
    assert ("Goal 0" in show(alice, "/failures/", **query)[1]) == shown


def test_chips_count_the_failures_of_the_scope(failure: Failure, alice: User) -> None:
    Project.objects.create(owner=alice, key="another")
    changes.change(alice, failure.pk, state="known")
    states = {"not solved": "1", "open": "0", "known": "1", "solved": "0", "regressed": "0", "all": "1"}
    assert chips(show(alice, "/failures/")[1]) == states
    assert chips(show(alice, "/failures/", project="another")[1]) == dict.fromkeys(states, "0")


def test_failure_is_named_and_marked_by_a_team_mate_and_a_mistake_is_said(failure: Failure, bob: User) -> None:
    browser = Client()
    browser.force_login(bob)
    address = f"/failures/{failure.pk}/"

    named = browser.post(f"{address}change/", {"name": "Clocks and zones"}, follow=True).content.decode()
    solved = browser.post(f"{address}change/", {"state": "solved"}, follow=True).content.decode()
    wrong = browser.post(f"{address}change/", {"state": "gone"}, follow=True).content.decode()

    assert "<h1>Clocks and zones</h1>" in named
    assert ("Saved. It is solved." in solved, "said bob" in solved, "Mark as open" in solved) == (True, True, True)
    assert "state: must be one of open, known, solved" in wrong


def test_page_has_the_entries_and_the_lessons(failure: Failure, bob: User) -> None:
    page = show(bob, f"/failures/{failure.pk}/")[1]
    lesson = Entry.objects.order_by("pk")[0].entry.lesson
    assert lesson is not None
    assert (lesson.takeaway or lesson.what_worked) in page
    assert [page.count(f">Goal {number}</a>") for number in range(3)] == [1, 1, 1]


def test_recount_is_requested(failure: Failure, alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    answer = browser.post("/failures/recount/", follow=True)
    assert "The failures are counted again." in answer.content.decode()


@pytest.mark.parametrize("address", ["/failures/", "/failures/?state=all&sort=frequent"])
def test_number_of_queries_does_not_grow_with_the_failures(address: str, alice: User) -> None:
    counts = []
    client = Client()
    client.force_login(alice)
    for number in (1, 29):
        many_rows.failures(alice, number) if number == 1 else _more(alice, number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def _more(user: User, count: int) -> None:
    Failure.objects.all().delete()
    Entry.objects.all().delete()
    many_rows.failures(user, count + 1)


def test_old_address_of_clusters_leads_to_the_failures(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert client.get("/clusters/?project=x").headers["Location"] == "/failures/?project=x"


@pytest.mark.parametrize("installed", [True, False])
def test_list_says_whether_failures_are_counted_at_all(
    installed: bool, failure: Failure, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "is_installed", lambda: installed)

    page = show(alice, "/failures/")[1]
    said = ["scikit-learn is not installed on the server" in page, "counted every night" in page, "Count again" in page]
    assert said == [not installed, installed, installed]
