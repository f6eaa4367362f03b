"""The context of the project is given once, at the start or with the first prompt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from capture import sink
from capture.deliveries import IncomingLearning
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.context import service as contexts
from memoryserver.inquiries.models import Inquiry
from tests.support.agents.hook_events import event, post, told
from tests.support.rows.factories import ProjectFactory

Api = Callable[[User | None], Client]


def test_context_is_told_once_with_the_first_prompt_or_the_start(api: Api, alice: User) -> None:
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    learning = IncomingLearning("convention", "Exports are started with <b>make export</b> alone", 0.9, 1)
    sink.store_by_hand(alice, project, learning)
    client = api(alice)

    machine = told(post(client, event("UserPromptSubmit", prompt="<task-notification>done</task-notification>")))
    first = told(post(client, event("UserPromptSubmit", prompt="Why does the export hang?")))
    second = told(post(client, event("UserPromptSubmit", prompt="And now?")))
    started = told(post(client, event("SessionStart", source="startup") | {"session_id": "another"}))
    resumed = told(post(client, event("SessionStart", source="resume") | {"session_id": "a third"}))

    assert (machine, second, resumed) == ("", "", "")
    assert first == started
    assert first.startswith("What the team's memory holds on this project. Quoted from what was recorded before")
    assert "Exports are started with ‹b>make export‹/b> alone" in first


def test_context_that_was_told_is_recorded_with_its_session_and_what_it_had(api: Api, alice: User) -> None:
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    learning = IncomingLearning("gotcha", "The export waits for the backup", 0.9, 1)
    row, _ = sink.store_by_hand(alice, project, learning)
    assert row is not None
    post(api(alice), event("SessionStart", source="startup"))

    inquiry = Inquiry.objects.get()
    assert (inquiry.kind, inquiry.way, inquiry.project, inquiry.found) == ("context", "agent", project, 1)
    assert inquiry.documents == [f"learnings/{row.pk}"]
    assert inquiry.agent_session == event("SessionStart")["session_id"]


@pytest.fixture
def remembered(alice: User) -> None:
    """There is something to say on the project."""
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    sink.store_by_hand(alice, project, IncomingLearning("gotcha", "The export waits for the backup", 0.9, 1))


@pytest.mark.parametrize("source", ["resume", "fork", "compact"])
def test_session_that_continues_has_its_context_already(api: Api, alice: User, remembered: None, source: str) -> None:
    client = api(alice)

    assert told(post(client, event("SessionStart", source=source))) == ""
    assert told(post(client, event("UserPromptSubmit", prompt="And now?"))) == ""


@pytest.mark.parametrize("source", ["startup", "clear", "something new", None])
def test_session_that_begins_is_given_the_context(api: Api, alice: User, remembered: None, source: str | None) -> None:
    assert "The export waits for the backup" in told(post(api(alice), event("SessionStart", source=source)))


def test_sub_agent_is_given_none_and_leaves_it_to_the_main_session(api: Api, alice: User, remembered: None) -> None:
    client = api(alice)

    assert told(post(client, event("UserPromptSubmit", prompt="Look at the export", agent_id="a1"))) == ""
    assert told(post(client, event("UserPromptSubmit", prompt="Look at the export"))) != ""


def test_context_of_others_is_not_given(api: Api, charlie: User, remembered: None) -> None:
    assert told(post(api(charlie), event("SessionStart", source="startup"))) == ""


@pytest.mark.parametrize("cwd", ["", "/", "/home/dev/unknown"])
def test_session_of_no_known_project_is_given_none(api: Api, alice: User, remembered: None, cwd: str) -> None:
    assert told(post(api(alice), event("SessionStart", source="startup") | {"cwd": cwd})) == ""


def test_longest_context_keeps_within_its_limit(api: Api, alice: User) -> None:
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    for number in range(100):
        content = f"Learned {number}: " + "the export waits for the backup " * 10
        sink.store_by_hand(alice, project, IncomingLearning("gotcha", content, 0.9, number))

    text = told(post(api(alice), event("SessionStart", source="startup")))

    assert contexts.CHARS / 2 < len(text) <= contexts.MAX_CHARS


def test_token_that_may_only_send_is_given_none(alice: User, remembered: None) -> None:
    _, text = tokens.issue(alice, "sender", scopes=["ingest"])
    client = Client(headers={"authorization": f"Bearer {text}"})

    answer = post(client, event("SessionStart", source="startup"))
    assert (answer.status_code, told(answer)) == (200, "")
