"""The registry of handlers, and what a registered one is given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import OperationalError

from memoryserver.accounts.models import User
from memoryserver.common.hook_event import HookEvent
from memoryserver.hooks import handlers, service
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.hooks.models import HookSession
from tests.support.agents.hook_events import event


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handlers, "_handlers", {})


def says(text: str) -> Callable[[Call], str]:
    def handle(call: Call) -> str:
        return text

    return handle


def register(name: str, events: set[str], handle: Callable[[Call], str] | None = None) -> Handler:
    handler = Handler(name, frozenset(events), handle or says(""))
    handlers.register(handler)
    return handler


def post(user: User, name: str, session: str = "s1", cwd: str = "/home/dev/shop") -> str:
    """What the response to an event puts before the model."""
    answer = service.answer(user, HookEvent(event(name) | {"session_id": session, "cwd": cwd}))
    output = answer.get("hookSpecificOutput", {})
    assert isinstance(output, dict)
    return str(output.get("additionalContext", ""))


def test_handlers_of_an_event_come_in_the_order_registered() -> None:
    second = register("b", {"Stop", "SessionEnd"})
    first = register("a", {"Stop"})

    assert handlers.for_event("Stop") == [second, first]
    assert handlers.for_event("SessionEnd") == [second]
    assert handlers.for_event("stop") == []


def test_handler_replaces_the_one_of_its_name_for_every_event() -> None:
    register("a", {"Stop"})
    replacement = register("a", {"SessionEnd"})

    assert (handlers.for_event("Stop"), handlers.for_event("SessionEnd")) == ([], [replacement])


def test_texts_of_several_handlers_are_all_given_to_the_model(alice: User) -> None:
    register("a", {"PostToolUse"}, says("first"))
    register("b", {"PostToolUse"})
    register("c", {"PostToolUse"}, says("second"))

    assert post(alice, "PostToolUse").split() == ["first", "second"]


def test_memory_of_a_handler_lasts_for_its_session_alone(alice: User, bob: User) -> None:
    def count(call: Call) -> str:
        call.memory["calls"] = call.memory.get("calls", 0) + 1
        return f"{call.user.username} {call.event.session_id} {call.memory['calls']}"

    register("a", {"PostToolUse"}, count)
    register("b", {"PostToolUse"}, lambda call: str(call.memory or ""))

    assert [post(user, "PostToolUse", session) for user, session in [(alice, "s1"), (alice, "s1"), (alice, "s2")]] == [
        "alice s1 1",
        "alice s1 2",
        "alice s2 1",
    ]
    assert post(bob, "PostToolUse", "s1") == "bob s1 1"


def test_root_and_project_are_those_of_the_first_event(alice: User) -> None:
    register("a", {"PostToolUse"}, lambda call: f"{call.root} {call.project and call.project.key}")

    assert [post(alice, "PostToolUse", cwd=cwd) for cwd in ("/home/dev/shop", "/tmp/other")] == [
        "/home/dev/shop shop"
    ] * 2


def test_event_that_the_database_did_not_take_is_not_acknowledged(alice: User) -> None:
    tries = []

    def fail(call: Call) -> str:
        tries.append(call.event.name)
        raise OperationalError("the disk is full")

    register("a", {"Stop"}, fail)

    with pytest.raises(OperationalError):
        post(alice, "Stop")
    assert tries == ["Stop"]  # once: the agent waits


def test_what_a_handler_remembers_before_it_raises_is_forgotten(alice: User) -> None:
    def fail(call: Call) -> str:
        seen = bool(call.memory)
        call.memory["seen"] = True
        User.objects.create(username="written")
        raise ValueError(f"seen {seen}")

    register("a", {"PostToolUse"}, fail)
    register("b", {"PostToolUse"}, says("the other"))

    assert [post(alice, "PostToolUse") for _ in range(2)] == ["the other", "the other"]
    assert not User.objects.filter(username="written").exists()
    assert HookSession.objects.get().memory == {"b": {}}
