"""Entries as documents: one by its id, and those next to it in time."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from ghap import reading
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.search.sources import Side
from tests.support.rows.ghap_entries import body, falsified

ID = "ghap_20261120_143022_a1b2c3"


def test_entry_is_told_in_the_order_in_which_it_came_about(alice: User) -> None:
    earlier = {"timestamp": "2026-11-20T14:31:00Z", "hypothesis": "h1", "action": "a1", "prediction": "p1"}
    receive(alice, None, [falsified(history=[earlier], notes=["asked"], check="pytest", goal="\u202eevil \x1b[31mred")])

    (document,) = reading.read(alice, ID)
    assert document.text.split("\n") == [
        "Goal: evil red",
        "1. hypothesis: h1",
        "1. action: a1",
        "1. prediction: p1",
        "Hypothesis: It waits for a lock",
        "Action: Set lock_timeout",
        "Prediction: It fails within a minute",
        "Check: pytest",
        "Outcome: falsified - It still hung",
        "Surprise: No lock was held at all",
        "Root cause: wrong-assumption - The disk was full",
        "What worked: Reading the kernel log",
        "Takeaway: Look at df first",
        "Note: asked",
    ]


def numbered(number: int, **changes: Any) -> dict[str, Any]:
    """An entry that was begun `number` minutes past two."""
    return body(id=f"ghap_20261120_1400{number:02d}_a1b2c3", created_at=f"2026-11-20T14:{number:02d}:00Z", **changes)


def near(user: User, number: int, side: Side, limit: int = 10) -> list[int]:
    (here,) = reading.read(user, numbered(number)["id"])
    return [found.created_at.minute for found in reading.near(user, here, side, limit)]


def test_document_has_the_entry_with_its_assessment(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])
    Entry.objects.update(quality_score=0.8, quality_reasons=[{"kind": "vague", "text": "it is vague"}])

    (document,) = reading.read(alice, ID)

    assert (document.id, document.kind, document.title) == (f"ghap/{ID}", "confirmed debugging", body()["goal"])
    assert (document.user, document.project, document.project_id) == ("alice", shared_project.key, shared_project.pk)
    assert document.threads == {ID, body()["session_id"]}
    assert document.details == {
        "entry": body(),
        "tier": "silver",
        "collector_tier": "silver",
        "quality_score": 0.8,
        "quality_reasons": [{"kind": "vague", "text": "it is vague"}],
    }


def test_optional_fields_that_are_missing_have_no_line(alice: User) -> None:
    receive(alice, None, [body()])

    assert reading.text_of(Entry.objects.get()).split("\n") == [
        "Goal: Stop the export from hanging",
        "Hypothesis: It waits for a lock",
        "Action: Set lock_timeout",
        "Prediction: It fails within a minute",
        "Outcome: confirmed - Lock timeout after 30 s",
    ]


def test_owner_and_mate_read_an_entry_and_a_stranger_does_not(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body()])
    key = Entry.objects.get().pk

    assert [len(reading.read(user, ID)) for user in (alice, bob, charlie)] == [1, 1, 0]
    readers: list[User | AnonymousUser] = [alice, bob, charlie, AnonymousUser()]
    assert [reading.entry_of(user, key) is not None for user in readers] == [True, True, False, False]


@pytest.mark.parametrize("key", ["", "x" * 5_000, "ghap_0"])
def test_key_of_no_entry_reads_nothing(key: str, alice: User) -> None:
    assert reading.read(alice, key) == []


def test_same_id_of_two_people_is_two_documents(alice: User, bob: User, shared_project: Project) -> None:
    for user in (alice, bob):
        receive(user, shared_project, [body()])

    assert sorted(document.user for document in reading.read(alice, ID)) == ["alice", "bob"]


def test_near_are_those_of_the_project_closest_in_time_first(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, [numbered(number, session_id=f"s{number}") for number in range(1, 6)])

    assert (near(alice, 3, "before"), near(alice, 3, "after")) == ([3, 2, 1], [4, 5])
    assert (near(alice, 3, "before", 2), near(alice, 3, "after", 1)) == ([3, 2], [4])


def test_without_a_project_near_are_those_of_the_session(alice: User) -> None:
    receive(alice, None, [numbered(1), numbered(2, session_id="another"), numbered(3)])

    assert near(alice, 1, "after") == [3]


def test_entry_has_its_page_for_those_who_may_see_it(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, [body(id=ID)])
    page = {f"ghap/{ID}": f"/entries/{Entry.objects.get().pk}/"}
    ids = [f"ghap/{ID}", f"learnings/{ID}", "ghap/other", ID]

    assert [reading.pages(user, ids) for user in (alice, bob, charlie)] == [page, page, {}]
    assert reading.pages(alice, ["learnings/1"]) == {}
