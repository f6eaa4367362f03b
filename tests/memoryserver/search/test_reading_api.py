"""Reading in layers: a compact index, what happened around one thing, and the whole of those named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from capture.documents import stage
from capture.models import Capture, CaptureState, Learning, LearningSource
from ghap.intake import receive
from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from obslog import jobs, log
from tests.support.rows.factories import ProjectFactory
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.observations import new

Api = Callable[[User | None], Client]
ENTRY = "ghap_20261120_143022_a1b2c3"
SESSION = "session_20261120_140000_d4e5f6"


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def learn(user: User, project: Project, content: str, moment: str) -> None:
    """A learning met in message 45 of a transcript of its own."""
    at = datetime.fromisoformat(moment)
    number = Learning.objects.count() + 1
    state = CaptureState.objects.create(
        user=user, project=project, context_id=f"claude-code-{number}", last_activity_at=at
    )
    ranged = {"first_message_index": 43, "last_message_index": 50, "compaction_number": 0}
    captured = Capture.objects.create(state=state, capture_id=UUID(int=number), captured_at=at, **ranged)
    met = {"first_seen": at, "last_seen": at, "confidence": 0.9, "type": "learning", "content_digest": content}
    row = Learning.objects.create(user=user, project=project, content=content, **met)
    LearningSource.objects.create(learning=row, capture=captured, message_index=45)
    stage(user, project, [row])


def get(client: Client, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", query)
    return answer.status_code, answer.json()


@pytest.fixture
def story(alice: User, shared_project: Project) -> None:
    """In the order of time: a learning, an observation, the entry, an observation, another entry, a learning."""
    embedding.load()
    receive(
        alice, shared_project, [falsified(), body(id="ghap_20261120_160000_a1b2c3", created_at="2026-11-20T16:00Z")]
    )
    learn(alice, shared_project, "learned 1", "2026-11-20T12:01:00+00:00")
    learn(alice, shared_project, "learned 2", "2026-11-20T17:00:00+00:00")
    log.append(alice, new(message="went in", scope_ids=[SESSION], created_at=ms("2026-11-20T14:00:00+00:00")))
    log.append(alice, new(message="came out", scope_ids=[ENTRY], created_at=ms("2026-11-20T15:00:00+00:00")))
    log.append(alice, new(message="elsewhere", source="ci:1", created_at=ms("2026-11-20T15:01:00+00:00")))


def lines(client: Client, **query: Any) -> list[str]:
    status, answer = get(client, "timeline", **query)
    assert status == 200, answer
    return [("> " if event["here"] else "") + event["line"] for event in answer["events"]]


def test_story_is_told_in_the_order_of_time_with_the_asked_one_marked(story: None, api: Api, alice: User) -> None:
    assert lines(api(alice), id=f"ghap/{ENTRY}") == [
        "learned 1",
        "went in",
        "> Stop the export from hanging",
        "came out",
        "Stop the export from hanging",
        "learned 2",
    ]


def test_so_many_before_and_after_as_asked_for(story: None, api: Api, alice: User) -> None:
    assert lines(api(alice), id=f"ghap/{ENTRY}", before=1, after=0) == ["went in", "> Stop the export from hanging"]


def test_mate_is_told_what_is_shared_and_a_stranger_nothing(story: None, api: Api, bob: User, charlie: User) -> None:
    assert lines(api(bob), id=f"ghap/{ENTRY}") == [
        "learned 1",
        "> Stop the export from hanging",
        "Stop the export from hanging",
        "learned 2",
    ]
    assert get(api(charlie), "timeline", id=f"ghap/{ENTRY}")[0] == 404


def test_around_an_observation_is_what_its_source_did_and_what_it_is_about(story: None, api: Api, alice: User) -> None:
    identifier = log.find_many(alice).observations[0].pk

    assert lines(api(alice), id=f"observations/{identifier}", after=3) == [
        "> went in",
        "Stop the export from hanging",
        "came out",
        "Stop the export from hanging",
    ]


def test_around_a_learning_is_its_project(story: None, api: Api, alice: User) -> None:
    key = Learning.objects.get(content="learned 2").pk

    assert lines(api(alice), id=f"learnings/{key}", before=2) == [
        "Stop the export from hanging",
        "Stop the export from hanging",
        "> learned 2",
    ]


def test_other_project_and_session_are_another_story(alice: User, api: Api) -> None:
    receive(alice, ProjectFactory(owner=alice, key="here"), [body()])
    other = body(id="ghap_20261120_150000_a1b2c3", session_id="session_20261120_150000_d4e5f6", goal="Another")
    receive(alice, ProjectFactory(owner=alice, key="there"), [other])
    receive(alice, None, [other | {"id": "ghap_20261120_150001_a1b2c3"}])

    assert lines(api(alice), id=f"ghap/{ENTRY}") == ["> Stop the export from hanging"]
    assert lines(api(alice), id="ghap/ghap_20261120_150001_a1b2c3", before=0) == ["> Another"]


def test_named_things_are_given_whole_with_where_they_come_from(story: None, api: Api, alice: User) -> None:
    known, observed = Learning.objects.get(content="learned 1"), log.find_many(alice).observations[0]
    ids = [f"learnings/{known.pk}", "learnings/999999", f"observations/{observed.pk}", f"ghap/{ENTRY}", "learnings/x"]

    status, answer = get(api(alice), "memory", id=ids)

    assert status == 200
    assert [document["id"] for document in answer["documents"]] == [ids[0], ids[2], ids[3]]
    assert answer["missing"] == ["learnings/999999", "learnings/x"]
    first, second, third = answer["documents"]
    assert first["details"]["sources"] == [{"transcript": "claude-code-1", "message": 45, "uuid": ""}]
    assert (second["text"], second["details"]["scope_ids"]) == ("went in", [SESSION])
    assert third["details"]["entry"] == falsified()
    assert "Look at df first" in third["text"]
    assert [document["size"] for document in answer["documents"]] == [
        len(document["text"]) for document in answer["documents"]
    ]


def test_details_of_an_observation_belong_to_the_whole(alice: User, api: Api) -> None:
    receipt = log.append(alice, new(message="the build failed", details="line 1\nline 2", data={"exit": 2}))

    _, answer = get(api(alice), f"memory/observations/{receipt.id}")

    assert (answer["text"], answer["details"]["data"]) == ("the build failed\n\nline 1\nline 2", {"exit": 2})


def test_text_is_cut_where_that_is_asked_for_and_its_size_is_not(story: None, api: Api, alice: User) -> None:
    (document,) = get(api(alice), "memory", id=f"ghap/{ENTRY}", chars=20)[1]["documents"]

    assert (len(document["text"]), document["size"] > 200) == (20, True)


def test_one_is_read_by_owner_and_mate_and_by_no_stranger(
    story: None, api: Api, alice: User, bob: User, charlie: User
) -> None:
    key = Learning.objects.get(content="learned 1").pk
    observed = log.find_many(alice).observations[0].pk
    asked = [f"memory/ghap/{ENTRY}", f"memory/learnings/{key}", f"memory/observations/{observed}"]

    assert [[get(api(user), path)[0] for path in asked] for user in (alice, bob, charlie, None)] == [
        [200, 200, 200],
        [200, 200, 404],
        [404, 404, 404],
        [401, 401, 401],
    ]


def test_hidden_learning_is_not_read_and_not_told_of(story: None, api: Api, alice: User) -> None:
    hidden = Learning.objects.get(content="learned 1")
    Learning.objects.filter(pk=hidden.pk).update(hidden=True)

    assert get(api(alice), f"memory/learnings/{hidden.pk}")[0] == 404
    assert lines(api(alice), id=f"ghap/{ENTRY}", before=1)[0] == "went in"


def test_same_key_of_two_people_is_given_twice_the_own_first(
    alice: User, bob: User, shared_project: Project, api: Api
) -> None:
    receive(alice, shared_project, [body()])
    receive(bob, shared_project, [body(goal="Bob's")])

    for user, others in ((alice, ["alice", "bob"]), (bob, ["bob", "alice"])):
        documents = get(api(user), "memory", id=f"ghap/{ENTRY}")[1]["documents"]
        assert [document["user"] for document in documents] == others


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("memory", {}, "id: Field required"),
        ("memory", {"id": [f"ghap/{number}" for number in range(21)]}, "request 1 to 20 ids at once"),
        ("memory", {"id": "ghap"}, "'ghap' is not an id; use SOURCE/KEY"),
        ("memory", {"id": "web/1"}, "unknown source 'web'; known sources: "),
        ("memory", {"id": "ghap/1", "chars": 0}, "chars: Input should be greater"),
        ("memory/web/1", {}, "unknown source 'web'; known sources: "),
        ("timeline", {"id": "ghap/1", "before": 51}, "before and after must be from 0 to 50"),
        ("timeline", {"id": "ghap/1", "after": -1}, "before and after must be from 0 to 50"),
        ("timeline", {"id": ""}, "'' is not an id; use SOURCE/KEY"),
        ("timeline", {"id": "ghap/x", "chars": 0}, "chars: Input should be greater"),
    ],
)
def test_what_cannot_be_is_a_422_that_says_why(
    path: str, query: dict[str, Any], said: str, api: Api, alice: User
) -> None:
    status, answer = get(api(alice), path, **query)

    assert (status, answer["detail"][: len(said)]) == (422, said)


@pytest.mark.parametrize("key", ["\x00", "x" * 5_000, "9" * 30, "²", "-1", "' OR 1=1"])
def test_odd_key_is_only_missing(key: str, api: Api, alice: User) -> None:
    ids = [f"{source}/{key}" for source in ("ghap", "learnings", "observations")]

    status, answer = get(api(alice), "memory", id=ids)

    assert (status, answer["documents"], len(answer["missing"])) == (200, [], 3)


def test_search_as_an_index_has_ids_that_can_be_read_and_sizes_that_are_true(
    story: None, api: Api, alice: User
) -> None:
    jobs.embed_arrived()
    client = api(alice)
    hits = [
        *get(client, "search", q="export hanging learned", chars=10)[1]["hits"],
        *get(client, "search", q="went", source="observations", chars=10)[1]["hits"],
    ]

    assert max(len(hit["text"]) for hit in hits) == 10
    assert {hit["id"].partition("/")[0] for hit in hits} == {"ghap", "learnings", "observations"}
    read = get(client, "memory", id=[hit["id"] for hit in hits])[1]
    assert read["missing"] == []
    assert [document["size"] for document in read["documents"]] == [hit["size"] for hit in hits]
