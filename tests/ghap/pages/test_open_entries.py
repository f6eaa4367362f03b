"""Open entries in the journal's list, and on a page of their own."""

from __future__ import annotations

from typing import Any

import pytest

from ghap.models import OpenEntry
from ghap.unresolved import open_entries
from memoryserver.accounts.models import Project, User
from tests.ghap.pages.test_strategies import show
from tests.ghap.unresolved.test_open_entries import opened
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls


@pytest.fixture
def entry(alice: User, shared_project: Project) -> OpenEntry:
    receive_calls(alice, shared_project, "s-1", "", [call(1)])
    open_entries.receive(alice, shared_project, [opened(goal="Stop the leak", agent_session="s-1", check="pytest -x")])
    return OpenEntry.objects.get()


def test_list_begins_with_what_is_open(entry: OpenEntry, bob: User) -> None:
    _, page = show(bob, "/entries/")
    assert ("Open now" in page, page.count("Stop the leak")) == (True, 1)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"outcome": "open"}, 1),
        ({"outcome": "open", "person": "bob"}, 0),
        ({"person": "alice", "domain": "debugging"}, 1),
        ({"outcome": "confirmed"}, 0),
        ({"tier": "gold"}, 0),
        ({"project": "other"}, 0),
    ],
)
def test_filters_hold_for_open_entries_too(query: dict[str, Any], count: int, entry: OpenEntry, bob: User) -> None:
    Project.objects.create(owner=bob, key="other")
    assert show(bob, "/entries/", **query)[1].count("Stop the leak") == count


def test_page_tells_the_story_so_far_and_links_to_the_session(entry: OpenEntry, bob: User, charlie: User) -> None:
    status, page = show(bob, f"/entries/open/{entry.pk}/")

    assert status == 200
    for part in ("To be decided by <code>pytest -x</code>", "its session", "It fails within a minute", "last reported"):
        assert part in page
    assert show(charlie, f"/entries/open/{entry.pk}/")[0] == 404
