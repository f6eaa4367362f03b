"""Entries that are read by the API: the list, and one by its id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from ghap.intake import receive
from ghap.models import Entry, OpenEntry
from ghap.unresolved.open_entries import receive as receive_open
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body

Api = Callable[[User | None], Client]
ENTRIES = "/api/v1/ghap/entries"
ID = "ghap_20261120_143022_a1b2c3"
SUMMARY = {
    "id": ID,
    "status": "confirmed",
    "user": "alice",
    "project": "github.com/crew/shop",
    "domain": "debugging",
    "strategy": "systematic-elimination",
    "goal": "Stop the export from hanging",
    "session_id": "session_20261120_140000_d4e5f6",
    "agent_session": "agent-1",
    "iteration_count": 2,
    "created_at": "2026-11-20T14:30:22Z",
    "captured_at": "2026-11-20T14:50:00Z",
    "tier": "silver",
    "collector_tier": "silver",
}
NOT_YET = {"captured_at": None, "tier": None, "collector_tier": None, "status": "open"}


def test_resolved_entry_is_listed_and_shown_with_its_body(
    alice: User, bob: User, shared_project: Project, api: Api
) -> None:
    sent = body(agent_session="agent-1")
    receive(alice, shared_project, [sent])
    row = Entry.objects.get()
    Entry.objects.update(quality_score=0.2, quality_reasons=[{"kind": "vague", "text": "it names no cause"}])
    summary = SUMMARY | {"page": f"/entries/{row.pk}/"}

    assert api(bob).get(ENTRIES).json() == {"entries": [summary], "next_cursor": None}
    assert api(bob).get(f"{ENTRIES}/{ID}").json() == summary | {
        "entry": sent,
        "quality_score": 0.2,
        "quality_reasons": [{"kind": "vague", "text": "it names no cause"}],
    }


def test_open_entry_is_listed_and_shown_until_it_is_resolved(
    alice: User, bob: User, shared_project: Project, api: Api
) -> None:
    sent = body(agent_session="agent-1", outcome=None, confidence_tier=None)
    receive_open(alice, shared_project, [sent])
    summary = SUMMARY | NOT_YET | {"page": f"/entries/open/{OpenEntry.objects.get().pk}/"}

    assert api(bob).get(ENTRIES).json()["entries"] == []
    assert api(bob).get(ENTRIES, {"status": "open"}).json() == {"entries": [summary], "next_cursor": None}
    assert api(bob).get(f"{ENTRIES}/{ID}").json() == summary | {
        "entry": sent,
        "quality_score": None,
        "quality_reasons": [],
    }

    receive(alice, shared_project, [body(agent_session="agent-1")])
    assert api(bob).get(ENTRIES, {"status": "open"}).json()["entries"] == []
    assert api(bob).get(f"{ENTRIES}/{ID}").json()["status"] == "confirmed"


@pytest.mark.parametrize("key", [ID, "no-such", "%00", "ghap_%ED%A0%80", "9" * 3000])
def test_entry_that_is_not_there_or_not_visible_is_a_404(
    key: str, alice: User, charlie: User, shared_project: Project, api: Api
) -> None:
    receive(alice, shared_project, [body()])
    receive_open(alice, shared_project, [body(id="ghap_2", outcome=None)])
    answer = api(charlie).get(f"{ENTRIES}/{key}")

    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["detail"] == "entry not found"


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ({"domain": "cooking"}, "domain: Input should be 'debugging', 'refactoring'"),
        ({"strategy": "hope"}, "strategy: Input should be 'systematic-elimination'"),
        ({"status": "lost"}, "status: Input should be 'confirmed', 'falsified', 'abandoned' or 'open'"),
        ({"since": "yesterday"}, "since: give a date such as 2026-11-20"),
        ({"until": ""}, "until: give a date such as 2026-11-20"),
        ({"project": "no such"}, "there is no project 'no such' that you can see"),
        ({"limit": "201"}, "limit: Input should be less than or equal to 200"),
        ({"cursor": "x"}, "cursor: invalid"),
        ({"cursor": "x", "status": "open"}, "cursor: invalid"),
    ],
)
def test_unknown_value_in_a_query_for_entries_is_named(query: dict[str, Any], what: str, alice: User, api: Api) -> None:
    answer = api(alice).get(ENTRIES, query)

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert answer.json()["detail"].startswith(what)


def test_times_are_those_of_the_outcome_and_each_filter_narrows(alice: User, shared_project: Project, api: Api) -> None:
    receive(alice, shared_project, [body()])
    client = api(alice)
    every = {
        "project": shared_project.key,
        "session": "session_20261120_140000_d4e5f6",
        "domain": "debugging",
        "strategy": "systematic-elimination",
        "status": "confirmed",
        "since": "2026-11-20T14:50",
        "until": "2026-11-20T14:51",
    }
    other = {
        "session": "s",
        "domain": "testing",
        "strategy": "ask-user",
        "status": "falsified",
        "since": "2026-11-20T14:51",
        "until": "2026-11-20T14:50",
    }

    assert [row["id"] for row in client.get(ENTRIES, every).json()["entries"]] == [ID]
    for name, value in other.items():
        assert client.get(ENTRIES, every | {name: value}).json()["entries"] == [], name
