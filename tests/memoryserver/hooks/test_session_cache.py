"""Sessions that are kept are used for events that a handler can take in one statement, and for no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryserver.accounts.models import User
from memoryserver.common.hook_event import HookEvent
from memoryserver.hooks import handlers, service, session_cache
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.hooks.models import HookSession
from memoryserver.statements.guard import Guard
from tests.support.agents.hook_events import SESSION, event

pytestmark = pytest.mark.django_db(transaction=True)

EVENT = HookEvent(event("PostToolUse", tool_name="Read"))


def handler(name: str, **more: Any) -> Handler:
    return Handler(name, frozenset({"PostToolUse"}), says_nothing, **more)


def says_nothing(call: Call) -> str:
    return ""


def has_nothing_to_do(call: Call) -> bool:
    return True


def has_something_to_do(call: Call) -> bool:
    return False


def quick(call: Call, guard: Guard) -> str | None:
    """Says whether the condition holds."""
    from memoryserver.statements import rows

    return "stored" if rows.first(f"SELECT 1 WHERE {guard.condition}", guard.parameters) else None


def begin(user: User, key: str = "") -> HookSession:
    """Begin a session by an event that all handlers know, and have it kept."""
    service.answer(user, HookEvent(event("UserPromptSubmit", prompt="")), key)
    return HookSession.objects.get()


def answer(user: User, *matching: Handler, key: str = "") -> str | None:
    return session_cache.quick_answer(user, EVENT, key, matching, True)


def test_event_of_a_kept_session_is_handled_in_one_statement(alice: User) -> None:
    begin(alice)

    assert answer(alice, handler("a", quick=quick), handler("b", idle=has_nothing_to_do)) == "stored"


@pytest.mark.parametrize(
    "others",
    [
        [],
        [handler("b")],
        [handler("b", idle=has_something_to_do)],
        [handler("b", quick=quick)],
    ],
    ids=["none is quick", "one says nothing", "one has something to do", "two have something to do"],
)
def test_event_is_not_handled_if_not_exactly_one_quick_handler_has_something_to_do(
    others: list[Handler], alice: User
) -> None:
    begin(alice)
    first = handler("a", quick=quick) if others else handler("a")

    assert answer(alice, first, *others) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda: HookSession.objects.update(memory={"other": {}}),
        lambda: HookSession.objects.all().delete(),
    ],
    ids=["changed", "deleted"],
)
def test_session_that_was_changed_elsewhere_fails_the_condition(change: Callable[[], Any], alice: User) -> None:
    begin(alice)
    change()

    assert answer(alice, handler("a", quick=quick)) is None


@pytest.mark.parametrize(("condition", "text"), [("1 = %(one)s", "stored"), ("2 = %(one)s", None)])
def test_nothing_is_done_unless_the_guard_of_the_token_holds(condition: str, text: str | None, alice: User) -> None:
    begin(alice)
    token = Guard(condition, {"one": 1})

    assert session_cache.quick_answer(alice, EVENT, "", [handler("a", quick=quick)], True, token) == text


def test_session_is_kept_for_its_user_its_key_and_five_minutes(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(alice, "shop")
    one = handler("a", quick=quick)
    assert [answer(alice, one, key="shop"), answer(alice, one, key="other"), answer(bob, one, key="shop")] == [
        "stored",
        None,
        None,
    ]

    since, value = session_cache._sessions._values[(alice.pk, SESSION, "")]
    session_cache._sessions._values[(alice.pk, SESSION, "")] = since - 300, value
    assert answer(alice, one, key="shop") is None


def test_handler_that_fails_quickly_is_logged_and_leaves_the_event_to_be_handled_at_length(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    called = []

    def fails(call: Call, guard: Guard) -> str | None:
        raise RuntimeError("no reason")

    def handle(call: Call) -> str:
        called.append(call.event.name)
        return ""

    begin(alice)
    monkeypatch.setattr(handlers, "_handlers", {"a": Handler("a", frozenset({"PostToolUse"}), handle, quick=fails)})

    assert service.quick_answer(alice, EVENT, "", may_read=True, token=None) is None
    assert called == []
    assert [(record.message, record.exc_info[0]) for record in caplog.records if record.exc_info] == [
        ("an event was not stored by one statement", RuntimeError)
    ]
    assert service.answer(alice, EVENT) == {}
    assert called == ["PostToolUse"]
