"""Failures that come back, read and changed by the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ghap.models import Entry, Failure, FailureMember
from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.support.rows import many_rows
from tests.support.rows.ghap_entries import falsified

Api = Callable[[User | None], Client]
FAILURES = "/api/v1/ghap/failures"


@pytest.fixture
def failure(alice: User, shared_project: Project) -> Failure:
    (row,) = many_rows.failures(alice, 1)
    Entry.objects.update(project=shared_project)
    Failure.objects.update(user=None, project=shared_project, terms=["cart", "cent"], example=Entry.objects.get())
    row.refresh_from_db()
    return row


def test_failure_is_listed_and_shown_with_what_helped_and_its_entries(bob: User, failure: Failure, api: Api) -> None:
    entry, client = Entry.objects.get(), api(bob)
    sent = falsified()

    (listed,) = client.get(FAILURES).json()["failures"]
    shown = client.get(f"{FAILURES}/{failure.pk}").json()

    assert listed.pop("weeks")[-1] in (0, 1)
    assert listed == {
        "id": failure.pk,
        "title": "failure-0.",
        "name": "failure-0.",
        "state": "open",
        "state_since": listed["state_since"],
        "state_by": None,
        "project": "github.com/crew/shop",
        "user": None,
        "size": 1,
        "terms": ["cart", "cent"],
        "first_seen": "2026-11-20T00:00:00Z",
        "last_seen": "2026-11-20T00:00:00Z",
        "surprise": sent["surprise"],
        "cause": sent["root_cause"]["description"],
        "page": f"/failures/{failure.pk}/",
    }
    assert {name: shown[name] for name in listed} == listed
    assert (shown["gone"], shown["continued_in"]) == (False, None)
    assert [(one["entry"], one["user"]) for one in shown["helped"]] == [(entry.ghap_id, "alice")]
    (member,) = client.get(f"{FAILURES}/{failure.pk}/entries").json()["entries"]
    assert (member["id"], member["status"]) == (entry.ghap_id, "falsified")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"failure-0.", "failure-1.", "failure-2."}),
        ("?state=solved", {"failure-0."}),
        ("?state=unsolved", {"failure-1.", "failure-2."}),
        ("?state=known", set()),
        ("?sort=frequent&limit=1", {"failure-2."}),
    ],
)
def test_list_is_narrowed_by_state_and_sorted(query: str, names: set[str], alice: User, api: Api) -> None:
    first, _, last = many_rows.failures(alice, 3)
    Failure.objects.filter(pk=first.pk).update(state="solved")
    Failure.objects.filter(pk=last.pk).update(size=9)

    assert {row["name"] for row in api(alice).get(f"{FAILURES}{query}").json()["failures"]} == names


def test_change_is_stored_recorded_and_undone(bob: User, failure: Failure, api: Api) -> None:
    client, address = api(bob), f"{FAILURES}/{failure.pk}"

    changed = client.patch(
        address, {"name": "Off by a cent", "state": "solved"}, content_type="application/json"
    ).json()
    unnamed = client.patch(address, {"name": ""}, content_type="application/json").json()

    assert (changed["title"], changed["state"], changed["state_by"]) == ("Off by a cent", "solved", "bob")
    assert (unnamed["name"], unnamed["state"]) == ("", "solved")
    assert [row.user for row in Observation.objects.filter(type="ghap.failure_changed")] == [bob, bob]


@pytest.mark.parametrize(
    "sent", [{"state": "regressed"}, {"state": "x"}, {"nmae": "x"}, {"name": "x" * 201}, {"name": 7}]
)
def test_invalid_change_is_refused_and_changes_nothing(
    sent: dict[str, object], bob: User, failure: Failure, api: Api
) -> None:
    answer = api(bob).patch(f"{FAILURES}/{failure.pk}", sent, content_type="application/json")

    assert (answer.status_code, answer["content-type"]) == (422, "application/problem+json")
    failure.refresh_from_db()
    assert (failure.name, failure.state) == ("failure-0.", "open")


def test_failure_with_an_entry_that_one_may_not_see_does_not_exist(charlie: User, failure: Failure, api: Api) -> None:
    client = api(charlie)
    statuses = [client.get(f"{FAILURES}/{failure.pk}{part}").status_code for part in ("", "/entries")]

    assert (statuses, client.get(FAILURES).json()["failures"]) == ([404, 404], [])
    assert client.patch(f"{FAILURES}/{failure.pk}", {}, content_type="application/json").status_code == 404


def test_query_count_does_not_grow_with_the_failures(alice: User, api: Api) -> None:
    many_rows.failures(alice, 30)
    client = api(alice)
    client.get(FAILURES)  # notes that the token was used
    counts = []
    for limit in (1, 30):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"{FAILURES}?limit={limit}")
        counts.append(sum("limits_counter" not in query["sql"] for query in queries))  # some requests count ahead
    assert counts[0] == counts[1]
    assert FailureMember.objects.count() == 30
