from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capture import curation, sink
from capture.deliveries import IncomingLearning
from capture.merging.merge import merge
from capture.models import Capture, Learning
from memoryserver.accounts.models import Project, User
from memoryserver.common import clock
from tests.capture.test_sink import CONTENT, capture, learning

PATH = "/api/v1/learnings"


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    met = learning(source_message_uuid="u-45", files=["a.py"], tools=["Bash"], reasons=["says why"])
    described = {"agent_kind": "claude-code", "agent": "main", "transcript": "/home/dev/t.jsonl", "session_id": "s-1"}
    sink.store(alice, shared_project, capture(met, metadata=described))
    return Learning.objects.get()


def patch(client: Client, row: Learning, body: Any) -> Any:
    return client.patch(f"{PATH}/{row.pk}", body, content_type="application/json")


def test_every_way_in_wants_a_token(row: Learning, api: Any) -> None:
    nobody = api(None)
    answers = [
        nobody.get(PATH),
        nobody.post(PATH, {"content": "x"}, content_type="application/json"),
        nobody.get(f"{PATH}/{row.pk}"),
        patch(nobody, row, {"pinned": True}),
        nobody.delete(f"{PATH}/{row.pk}"),
    ]
    assert [answer.status_code for answer in answers] == [401] * 5


@pytest.mark.parametrize(
    ("name", "seen", "got", "patched", "deleted"),
    [("alice", 1, 200, 200, 204), ("bob", 1, 200, 403, 403), ("charlie", 0, 404, 404, 404)],
)
def test_owner_changes_mate_reads_stranger_sees_nothing(
    name: str, seen: int, got: int, patched: int, deleted: int, row: Learning, charlie: User, api: Any
) -> None:
    client = api(User.objects.get(username=name))

    assert len(client.get(PATH).json()["learnings"]) == seen
    assert client.get(f"{PATH}/{row.pk}").status_code == got
    assert patch(client, row, {"pinned": True}).status_code == patched
    assert client.delete(f"{PATH}/{row.pk}").status_code == deleted


def test_one_learning_comes_with_its_provenance_down_to_the_message(row: Learning, alice: User, api: Any) -> None:
    answer = api(alice).get(f"{PATH}/{row.pk}").json()

    assert {name: answer[name] for name in ("content", "files", "tools", "reasons", "may_change", "by_hand_at")} == {
        "content": CONTENT,
        "files": ["a.py"],
        "tools": ["Bash"],
        "reasons": ["says why"],
        "may_change": True,
        "by_hand_at": None,
    }
    assert answer["sources"] == [
        {
            "user": "alice",
            "wording": "",
            "context_id": "claude-code-7625",
            "transcript": "/home/dev/t.jsonl",
            "agent_kind": "claude-code",
            "agent": "main",
            "session_id": "s-1",
            "branch": "",
            "message_index": 45,
            "message_uuid": "u-45",
            "message_time": None,
            "captured_at": "2026-11-20T12:01:00Z",
            "received_at": clock.to_text(Capture.objects.get().received_at),
        }
    ]


def test_change_is_answered_with_what_it_is_now_and_its_history(row: Learning, alice: User, api: Any) -> None:
    answer = patch(api(alice), row, {"content": "Said better", "pinned": True}).json()

    assert (answer["content"], answer["pinned"], answer["hidden"]) == ("Said better", True, False)
    assert [(change["what"], change["before"], change["made_by"]) for change in answer["changes"]] == [
        ("pinned", "", "alice"),
        ("corrected", CONTENT, "alice"),
    ]


def test_wording_of_another_is_a_conflict_that_names_it(row: Learning, alice: User, api: Any) -> None:
    other, _ = sink.store_by_hand(alice, row.project, IncomingLearning("learning", "Something else", 1.0, 0))
    assert other is not None

    answer = patch(api(alice), row, {"content": "something  ELSE"})

    assert (answer.status_code, answer.json()["learning"]) == (409, other.pk)


@pytest.mark.parametrize(
    "body", [{"content": ""}, {"content": "x" * 4001}, {"pinned": "perhaps"}, {"other": 1}, [], {"content": " \n"}]
)
def test_change_that_cannot_be_is_refused(row: Learning, alice: User, api: Any, body: Any) -> None:
    assert patch(api(alice), row, body).status_code == 422


@pytest.mark.parametrize("key", ["0", str(2**63), "999999999999999999999"])
def test_number_that_no_learning_can_have_is_not_found(alice: User, api: Any, key: str) -> None:
    assert api(alice).get(f"{PATH}/{key}").status_code == 404


def test_stored_by_hand_is_new_once_and_gone_for_good_when_deleted(alice: User, api: Any) -> None:
    client = api(alice)
    body = {"type": "convention", "content": "Use pnpm in this repository", "project": "github.com/a/b", "files": ["x"]}

    first = client.post(PATH, body, content_type="application/json")
    second = client.post(PATH, body, content_type="application/json")
    assert (first.status_code, second.status_code) == (201, 200)
    key = first.json()["id"]
    assert (first.json(), second.json()) == (
        {"id": key, "new": True, "hidden": False, "new_project": True},
        {"id": key, "new": False, "hidden": False, "new_project": False},
    )
    shown = client.get(f"{PATH}/{key}").json()
    assert (shown["project"], shown["files"], shown["sources"], shown["reasons"]) == (
        "github.com/a/b",
        ["x"],
        [],
        ["stored by hand"],
    )
    assert shown["by_hand_at"] is not None

    client.delete(f"{PATH}/{key}")
    assert client.post(PATH, body, content_type="application/json").status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": ""},
        {"content": "x", "type": "nonsense"},
        {"content": "<private>x</private>"},
        {"content": "x" * 4001},
        {"content": "x", "files": ["f"] * 101},
        {"content": "x", "more": 1},
    ],
)
def test_what_cannot_be_stored_is_refused(alice: User, api: Any, body: Any) -> None:
    assert api(alice).post(PATH, body, content_type="application/json").status_code == 422
    assert Learning.objects.count() == 0


def contents(answer: Any) -> list[str]:
    return [one["content"] for one in answer.json()["learnings"]]


@pytest.fixture
def several(alice: User, bob: User, shared_project: Project) -> None:
    for number in range(1, 6):
        sink.store(alice, shared_project, capture(learning(f"Alpha number {number}"), number=number))
    sink.store(alice, None, capture(learning("A gotcha of 100% _kind_", type="gotcha"), number=6))
    sink.store(bob, shared_project, capture(learning("Bob's own"), number=7))
    rows = {row.content: row for row in Learning.objects.all()}
    curation.change(alice, rows["Alpha number 1"].pk, pinned=True)
    curation.change(alice, rows["Alpha number 2"].pk, hidden=True)
    curation.change(alice, rows["Alpha number 3"].pk, content="Alpha number three")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=pinned", ["Alpha number 1"]),
        ("state=hidden", ["Alpha number 2"]),
        ("state=corrected", ["Alpha number three"]),
        ("type=gotcha", ["A gotcha of 100% _kind_"]),
        ("text=100%25 _KIND", ["A gotcha of 100% _kind_"]),
        ("text=number alpha 4", ["Alpha number 4"]),
        ("project=github.com/crew/shop&mine=true&text=5", ["Alpha number 5"]),
        ("text=Bob&mine=true", []),
        ("text=Bob", ["Bob's own"]),
    ],
)
def test_list_is_narrowed(several: None, alice: User, api: Any, query: str, found: list[str]) -> None:
    assert contents(api(alice).get(f"{PATH}?{query}")) == found


def test_pages_give_each_once_the_pinned_first(several: None, alice: User, api: Any) -> None:
    client, cursor, pages = api(alice), "", []
    while True:
        answer = client.get(PATH, {"state": "all", "limit": 2, "cursor": cursor})
        pages.append(contents(answer))
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            break

    assert pages == [
        ["Alpha number 1", "Bob's own"],
        ["A gotcha of 100% _kind_", "Alpha number 5"],
        ["Alpha number 4", "Alpha number three"],
        ["Alpha number 2"],
    ]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "cursor=x", "cursor=1.999999999999999999.1", "type=x", "state=x", "text=" + "x" * 501],
)
def test_question_that_cannot_be_is_refused(alice: User, api: Any, query: str) -> None:
    answer = api(alice).get(f"{PATH}?{query}")

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")


@pytest.mark.parametrize("count", [1, 3])
def test_number_of_queries_does_not_grow_with_the_list(
    alice: User, api: Any, count: int, django_assert_num_queries: Any
) -> None:
    for number in range(1, count + 1):
        sink.store(alice, None, capture(learning(f"Alpha number {number}"), number=number))
    client = api(alice)
    client.get(PATH)

    with django_assert_num_queries(4):
        client.get(PATH)


def test_new_learning_costs_few_statements(alice: User, api: Any, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 0
    client = api(alice)
    counts = []
    for number in range(3):
        body = {"content": f"Use make {number}", "project": "shop"}
        with CaptureQueriesContext(connection) as sent:
            answer = client.post(PATH, body, content_type="application/json")
        assert answer.status_code == 201
        counts.append(len(sent))

    assert counts[1:] == [11, 11]  # in a test, no job is enqueued after the commit


def test_source_and_the_reasons_for_entering_a_context_are_given_and_filtered_by(
    row: Learning, alice: User, api: Any
) -> None:
    Learning.objects.update(last_seen=timezone.now())  # belief fades with the time since then
    stored = api(alice).post(PATH, {"content": "Use pnpm here"}, content_type="application/json").json()["id"]

    answers = {row["id"]: row for row in api(alice).get(PATH).json()["learnings"]}
    agents = api(alice).get(PATH, {"source": "agent"}).json()["learnings"]
    wrong = api(alice).get(PATH, {"source": "hearsay"})

    assert [(answers[key]["source"], answers[key]["in_context"]) for key in (row.pk, stored)] == [
        ("stated", True),
        ("agent", True),
    ]
    assert answers[stored]["why"].startswith("believed; stored by an agent or a person with confidence 1.00")
    assert [found["id"] for found in agents] == [stored]
    assert (wrong.status_code, wrong.json()["detail"]) == (422, "source: must be one of agent, observed, stated")


@pytest.mark.parametrize(
    ("sent", "stored_by", "words"),
    [
        ({"stored_by": "agent"}, "agent", "an agent"),
        ({"stored_by": "person"}, "person", "a person"),
        ({"session_id": "s-1"}, "agent", "an agent"),
        ({}, "", "an agent or a person"),
    ],
    ids=["agent", "person", "in a session", "not said"],
)
def test_who_stored_it_is_said_by_api_and_page(
    alice: User, api: Any, client: Client, sent: dict[str, str], stored_by: str, words: str
) -> None:
    said = {"content": "Use pnpm here", **sent}
    key = api(alice).post(PATH, said, content_type="application/json").json()["id"]
    detail = api(alice).get(f"{PATH}/{key}").json()
    client.force_login(alice)
    page = client.get(f"/learnings/{key}/").content.decode()

    assert (detail["by_hand_by"], detail["why"].partition(" with ")[0]) == (stored_by, f"believed; stored by {words}")
    assert f"Stored by {words} at " in page


def test_provisional_learnings_are_marked_and_listed(row: Learning, alice: User, api: Any) -> None:
    now = timezone.now()
    sink.store(alice, None, capture(learning("Use uv, not pip"), context_id="running", captured_at=now))

    listed = api(alice).get(PATH, {"state": "provisional"}).json()["learnings"]

    assert [(found["content"], found["provisional"], found["in_context"]) for found in listed] == [
        ("Use uv, not pip", True, False)
    ]
    assert listed[0]["why"].startswith("provisional, since its session still runs; ")
    assert api(alice).get(f"{PATH}/{row.pk}").json()["provisional"] is False


@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 200), ("charlie", 404)])
def test_merge_is_shown_and_undone_by_the_owners_of_both(
    name: str, status: int, row: Learning, bob: User, charlie: User, shared_project: Project, api: Any
) -> None:
    sink.store(bob, shared_project, capture(learning("The backup holds the lock, so the export hangs"), number=2))
    other = Learning.objects.get(user=bob)
    merge(row, other)

    shown = api(bob).get(f"{PATH}/{row.pk}").json()
    answer = api(User.objects.get(username=name)).post(f"{PATH}/{other.pk}/separate")

    assert shown["merged"] == [{"id": other.pk, "content": other.content, "user": "bob", "seen_count": 1}]
    assert (shown["merged_into"], shown["seen_count"]) == (None, 2)
    assert answer.status_code == status
    assert Learning.objects.filter(merged_into=None).count() == (2 if status == 200 else 1)
