"""Contexts that laptops kept: each counts once, when a session got it, for what its user may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from capture import sink
from capture.models import Learning, LearningUsage
from memoryserver.accounts.models import Project, User
from memoryserver.inquiries import records, uses
from memoryserver.inquiries.models import Inquiry
from tests.capture.test_sink import learning
from trajectory.models import Trajectory

Api = Callable[[User | None], Client]
PATH = "/api/v1/context/deliveries"
NOON = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
TODAY = timezone.now()


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    stored, _ = sink.store_by_hand(alice, shared_project, learning("The backup holds the lock of the export"))
    assert stored is not None
    return stored


def delivery(number: int = 1, *, at: datetime = NOON, **changes: Any) -> dict[str, Any]:
    content = {"id": f"d-{number}", "session_id": "s-1", "project": "github.com/crew/shop", "lines": 7}
    return content | {"delivered_at": at.isoformat()} | changes


def send(client: Client, *deliveries: Mapping[str, Any]) -> list[str]:
    answer = client.post(PATH, {"deliveries": deliveries}, content_type="application/json")
    assert answer.status_code == 200, answer.content
    results = answer.json()["results"]
    assert [result["id"] for result in results] == [each["id"] for each in deliveries]
    return [result["status"] for result in results]


def counted() -> list[tuple[int, int, date | None]]:
    return list(LearningUsage.objects.order_by("learning").values_list("learning", "shown", "shown_on"))


def test_delivery_is_a_context_of_its_session_at_its_time(
    alice: User, shared_project: Project, row: Learning, api: Api
) -> None:
    session = Trajectory.objects.create(user=alice, project=shared_project, session_id="s-1")
    name = f"learnings/{row.pk}"

    assert send(api(alice), delivery(documents=[name, name])) == ["stored"]

    inquiry = Inquiry.objects.get()
    assert (inquiry.kind, inquiry.way, inquiry.found, inquiry.project) == ("context", "agent", 7, shared_project)
    assert (inquiry.words, inquiry.documents, inquiry.asked_at) == ("", [name], NOON)
    (use,) = uses.of_document(alice, name).uses
    assert (use.at, use.session, use.session_page) == (NOON, "s-1", f"/trajectory/{session.pk}/")
    assert counted() == [(row.pk, 1, NOON.date())]


def test_delivery_that_is_sent_again_counts_once(alice: User, bob: User, row: Learning, api: Api) -> None:
    first, second = (delivery(n, at=NOON - timedelta(days=n), documents=[f"learnings/{row.pk}"]) for n in (1, 2))
    client = api(alice)

    answers = [send(client, first), send(client, first, second), send(client, second, second)]

    assert answers == [["stored"], ["unchanged", "stored"], ["unchanged", "unchanged"]]
    assert Inquiry.objects.count() == 2
    assert send(api(bob), first) == ["stored"]  # another person's laptop may have made the same id


def test_same_id_twice_in_one_request_is_stored_once(alice: User, api: Api) -> None:
    assert send(api(alice), delivery(), delivery()) == ["stored", "unchanged"]
    assert Inquiry.objects.count() == 1


def test_each_day_counts_once_whatever_the_order_in_a_request(alice: User, row: Learning, api: Api) -> None:
    name = f"learnings/{row.pk}"
    sent = [delivery(n, at=NOON - timedelta(days=days), documents=[name]) for n, days in enumerate([0, 2, 5, 2])]

    send(api(alice), *sent)

    assert counted() == [(row.pk, 3, NOON.date())]


def test_strangers_ids_and_those_of_nothing_are_answered_alike_and_not_counted(
    alice: User, charlie: User, row: Learning, api: Api
) -> None:
    unknown = ["learnings/999999999", "learnings/x", "ghap/none", "", "\x00"]

    assert send(api(charlie), delivery(1, documents=[f"learnings/{row.pk}"]), delivery(2, documents=unknown)) == [
        "stored",
        "stored",
    ]
    assert (list(Inquiry.objects.values_list("documents", flat=True)), counted()) == ([[], []], [])
    assert set(Inquiry.objects.values_list("project", flat=True)) == {None}


def test_what_was_deleted_hidden_or_moved_since_blocks_nothing(
    alice: User, bob: User, shared_project: Project, row: Learning, api: Api
) -> None:
    def learned(text: str) -> Learning:
        stored, _ = sink.store_by_hand(alice, shared_project, learning(text))
        assert stored is not None
        return stored

    deleted, hidden, moved = learned("The wiki is old"), learned("The cache is cold"), learned("The tests need a disk")
    names = [f"learnings/{each.pk}" for each in (deleted, hidden, moved, row)]
    deleted.delete()
    Learning.objects.filter(pk=hidden.pk).update(hidden=True)
    Learning.objects.filter(pk=moved.pk).update(project=None)

    sent = [delivery(number, documents=[name]) for number, name in enumerate(names)]
    assert send(api(bob), *sent) == ["stored"] * 4

    assert [key for key, _, _ in counted()] == [row.pk, hidden.pk]  # bob was given the hidden one, and may see it
    assert list(Inquiry.objects.order_by("pk").values_list("documents", flat=True)) == [
        [],
        [names[1]],
        [],
        [names[3]],
    ]


def test_project_that_was_renamed_since_is_found_by_its_old_key(alice: User, shared_project: Project, api: Api) -> None:
    shared_project.aliases.create(key="github.com/crew/old")

    send(api(alice), delivery(project="github.com/crew/old"))

    assert Inquiry.objects.get().project == shared_project


def test_time_that_cannot_be_right_is_that_of_arrival_and_one_before_the_records_is_not_kept(
    alice: User, row: Learning, api: Api
) -> None:
    name, client = f"learnings/{row.pk}", api(alice)
    old = TODAY - timedelta(days=records.KEPT_DAYS, minutes=5)
    ahead, never_set = TODAY + timedelta(days=400), datetime(1970, 1, 1, tzinfo=UTC)

    statuses = [send(client, delivery(n, at=at, documents=[name])) for n, at in enumerate((old, ahead, never_set))]

    assert statuses == [["unchanged"], ["stored"], ["stored"]]
    assert send(client, delivery(1, at=ahead, documents=[name])) == ["unchanged"]
    assert [at > TODAY - timedelta(minutes=5) for at in Inquiry.objects.values_list("asked_at", flat=True)] == [
        True
    ] * 2
    assert [shown for _, shown, _ in counted()] == [1]


def test_way_of_the_command_is_kept_and_a_session_that_is_not_known_is_blank(alice: User, api: Api) -> None:
    send(api(alice), delivery(way="command", session_id=""))

    inquiry = Inquiry.objects.get()
    assert (inquiry.way, inquiry.agent_session) == ("command", "")


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"id": "x" * 65},
        {"way": "page"},
        {"lines": -1},
        {"documents": ["x"] * 101},
        {"documents": ["x" * 121]},
        {"delivered_at": "yesterday"},
    ],
)
def test_what_no_laptop_sends_is_refused_as_a_whole(changes: dict[str, Any], alice: User, api: Api) -> None:
    body = {"deliveries": [delivery(1), delivery(2) | changes]}
    answer = api(alice).post(PATH, body, content_type="application/json")

    assert (answer.status_code, Inquiry.objects.count()) == (422, 0)
