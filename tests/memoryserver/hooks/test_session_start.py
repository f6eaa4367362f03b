"""The context of the project is given once, at the start or with the first prompt."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from capture import sink
from memoryserver.accounts.models import User
from tests.support.factories import ProjectFactory
from tests.support.hook_events import event, post, told

Api = Callable[[User | None], Client]


def test_context_is_told_once_with_the_first_prompt_or_the_start(api: Api, alice: User) -> None:
    project = ProjectFactory(owner=alice, key="github.com/crew/shop")
    learning = sink.IncomingLearning("convention", "Exports are started with <b>make export</b> alone", 0.9, 1)
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
