"""The journal's pages: the list with its filters, an entry as a story, and what is similar to it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ghap.intake import receive
from ghap.jobs import persist_pending
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from tests.ghap.pages.test_strategies import numbered, show
from tests.ghap.recurring.test_queries import failing
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import Trajectory


def goals(page: str) -> list[str]:
    return re.findall(r'<h2><a href="/entries/\d+/[^"]*">([^<]+)</a></h2>', page)


@pytest.fixture
def journal(alice: User, bob: User, shared_project: Project) -> None:
    receive(alice, shared_project, [numbered(0), numbered(1, domain="testing")])
    abandoned = {**falsified()["outcome"], "status": "abandoned"}
    receive(bob, shared_project, [body(id="ghap_20261120_143050_a1b2c3", goal="Confirmed one")])
    receive(bob, None, [numbered(3, outcome=abandoned, surprise=None, root_cause=None, lesson=None)])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, {"Goal 0", "Goal 1", "Confirmed one"}),
        ({"outcome": "confirmed"}, {"Confirmed one"}),
        ({"outcome": "abandoned"}, {"Goal 3"}),
        ({"outcome": "all"}, {"Goal 0", "Goal 1", "Confirmed one", "Goal 3"}),
        ({"outcome": "odd"}, set()),
        ({"domain": "testing"}, {"Goal 1"}),
        ({"person": "bob"}, {"Confirmed one"}),
        ({"project": "github.com/crew/shop", "person": "alice"}, {"Goal 0", "Goal 1"}),
        ({"strategy": "trial-and-error"}, set()),
        ({"tier": "silver", "outcome": "confirmed"}, {"Confirmed one"}),
        ({"team": "crew", "outcome": "all"}, {"Goal 0", "Goal 1", "Confirmed one"}),
        ({"days": "odd"}, {"Goal 0", "Goal 1", "Confirmed one"}),
        ({"project": "a\x00b"}, {"Goal 0", "Goal 1", "Confirmed one"}),  # as the scope bar then says
    ],
)
def test_list_has_the_entries_that_match(query: dict[str, Any], expected: set[str], journal: None, bob: User) -> None:
    status, page = show(bob, "/entries/", **query)
    assert (status, set(goals(page))) == (200, expected)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"outcome": "failed"}, ["outcome “failed”"]),
        ({"person": "charlie", "outcome": "all"}, ["person “charlie”"]),
        ({"domain": "a\x00b"}, ["domain “a�b”"]),
        ({"strategy": "trial-and-error"}, []),
        ({"outcome": "open"}, []),
    ],
)
def test_list_says_that_there_is_no_such_choice(
    query: dict[str, Any], said: list[str], journal: None, bob: User, charlie: User
) -> None:
    _, page = show(bob, "/entries/", **query)
    assert re.findall("There is no (.*) here; choose from what is above", page) == said


def test_stranger_sees_no_entry(journal: None, charlie: User) -> None:
    assert goals(show(charlie, "/entries/", outcome="all")[1]) == []


def test_form_shows_what_is_filtered(journal: None, bob: User) -> None:
    page = show(bob, "/entries/", domain="testing", person="alice")[1]
    chosen = re.findall(r'<option value="([^"]*)" selected>', page)
    assert chosen == ["", "", "alice", "testing", "", ""]


def test_htmx_gets_the_next_rows_alone(alice: User) -> None:
    receive(alice, None, [numbered(number) for number in range(31)])
    page = show(alice, "/entries/")[1]
    cursor = re.search(r'href="\?cursor=([^"]+)"', page)
    assert cursor is not None
    rest = show(alice, "/entries/", htmx=True, cursor=cursor[1])[1]
    assert (len(goals(page)), goals(rest), "<title>" in rest) == (30, ["Goal 0"], False)


def test_list_needs_as_many_queries_for_thirty_entries_as_for_one(alice: User, shared_project: Project) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert show(alice, "/entries/")[0] == 200
        return len(captured)

    receive(alice, shared_project, [numbered(0)])
    few = queries()
    receive(alice, shared_project, [numbered(number) for number in range(1, 30)])
    assert queries() == few


def test_entry_page_tells_all_of_it(alice: User) -> None:
    earlier = {
        "timestamp": "2026-11-20T14:31:00Z",
        "hypothesis": "The network is slow",
        "action": "Measure it",
        "prediction": "Above 1 s",
    }
    receive(alice, None, [falsified(history=[earlier], notes=["asked the team"], check="pytest -k export")])
    Entry.objects.update(quality_reasons=[{"kind": "vague", "text": "the hypothesis is vague"}])

    _, page = show(alice, f"/entries/{Entry.objects.get().pk}/")

    told = [
        "Stop the export from hanging",
        "The network is slow",
        "It waits for a lock",
        "It still hung",
        "No lock was held at all",
        "Root cause: wrong-assumption",
        "The disk was full",
        "Reading the kernel log",
        "Look at df first",
        "asked the team",
        "pytest -k export",
        "the hypothesis is vague",
    ]
    assert [words for words in told if words not in page] == []


def test_entry_leads_to_the_failures_it_belongs_to(alice: User, shared_project: Project, charlie: User) -> None:
    failure = failing(alice, shared_project, range(3))
    page = show(alice, f"/entries/{Entry.objects.order_by('ghap_id')[0].pk}/")[1]
    assert f'<a href="/failures/{failure.pk}/">Goal 0</a> (3 times, open)' in page


def test_similar_entries_are_shown_without_the_entry_itself(alice: User) -> None:
    receive(alice, None, [numbered(1), numbered(2)])
    persist_pending()
    first = Entry.objects.get(goal="Goal 1")
    page = show(alice, f"/entries/{first.pk}/similar/", htmx=True)[1]
    assert re.findall(r">(Goal \d)<", page) == ["Goal 2"]


@pytest.mark.parametrize("path", ["/entries/0/", f"/entries/{10**30}/", "/entries/0/similar/"])
def test_entry_that_does_not_exist_is_not_found(path: str, alice: User) -> None:
    assert show(alice, path)[0] == 404


def test_text_of_an_entry_is_no_markup(alice: User) -> None:
    receive(alice, None, [falsified(goal="<script>alert(1)</script>")])

    pages = [show(alice, f"/entries/{Entry.objects.get().pk}/")[1], show(alice, "/entries/")[1]]
    assert ["<script>alert" in page for page in pages] == [False, False]


def test_story_names_the_session_the_check_and_the_failure(alice: User, shared_project: Project) -> None:
    receive_calls(alice, shared_project, "s-1", "", [call(1)])
    failing(alice, shared_project, range(3))
    entry = Entry.objects.order_by("pk")[0]
    outcome = {**falsified()["outcome"], "auto_captured": True}
    receive(alice, shared_project, [{**entry.body, "agent_session": "s-1", "check": "pytest -x", "outcome": outcome}])

    _, page = show(alice, f"/entries/{entry.pk}/")

    assert "Decided by <code>pytest -x</code>" in page
    assert f'<a href="/trajectory/{Trajectory.objects.get().pk}/">its session</a>' in page
    assert "(3 times, open)" in page


def test_corrected_outcome_is_shown_after_the_earlier_one(alice: User) -> None:
    earlier = {**falsified()["outcome"], "auto_captured": True, "result": "1 failed at first"}
    outcome = {**falsified()["outcome"], "status": "confirmed", "result": "It holds after all"}
    receive(alice, None, [falsified(check="pytest -x", outcome=outcome, earlier_outcomes=[earlier])])

    _, page = show(alice, f"/entries/{Entry.objects.get().pk}/")

    assert page.index("Falsified, corrected later") < page.index("1 failed at first") < page.index("It holds after all")


def test_poor_hypothesis_has_a_button_that_says_not_so(alice: User, bob: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])
    reasons = [{"kind": "vague", "text": "it names nothing"}]
    Entry.objects.update(quality_reasons=reasons, confidence_tier="bronze")
    key = Entry.objects.get().pk
    page = show(bob, f"/entries/{key}/")[1]
    assert ("it names nothing" in page, "So the tier is bronze, not silver" in page, "Not so" in page) == (True,) * 3

    client = Client()
    client.force_login(bob)
    page = client.post(f"/entries/{key}/quality/", {"poor": "0"}, follow=True).content.decode()

    assert ("bob says it is not so" in page, "Let the rules decide" in page) == (True, True)
