"""Learnings and compactions from events that agents post to the server."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from capture.belief.rules import leading
from capture.deliveries import IncomingLearning
from capture.hooks import HANDLER
from capture.models import Capture, CaptureState, Compaction, Learning
from capture.sink import store_by_hand
from memoryserver.accounts.models import Project, User
from memoryserver.common import hook_event
from memoryserver.hooks import handlers
from tests.support.agents.hook_events import ROOT, SESSION, event

CORRECTION = "No, don't restart the export by hand. Always use `make export`, the script takes the lock first."
FINAL = "The root cause was that `make export` held the lock of `orders` while `pg_dump` ran."


def handle(user: User, posted: dict[str, Any], memory: dict[str, Any], project: Project | None = None) -> str:
    parsed = hook_event.parse(json.dumps(posted).encode())
    return HANDLER.handle(handlers.Call(user, project, parsed, ROOT, memory))


def test_handler_is_registered_for_what_people_and_agents_say_and_do_and_for_the_sessions_end() -> None:
    events = [
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "SessionEnd",
        "Stop",
        "SubagentStop",
        "UserPromptSubmit",
    ]
    assert [name for name in events if HANDLER in handlers.for_event(name)] == events
    assert sorted(HANDLER.events) == events


def test_learning_is_provisional_until_the_session_ends(alice: User) -> None:
    memory: dict[str, Any] = {}
    handle(alice, event("UserPromptSubmit", prompt=CORRECTION), memory)
    running = leading(Learning.objects.all()).believed

    handle(alice, event("SessionEnd", reason="exit"), memory)

    assert running == []
    assert leading(Learning.objects.all()).believed == [row.pk for row in Learning.objects.all()] != []


@pytest.mark.parametrize(
    ("context", "expected"),
    [(f"claude-code-{SESSION}", True), (f"claude-code-{SESSION}-a1-hooks", True), (f"claude-code-{SESSION}0", False)],
    ids=["transcript", "sub-agent", "another session"],
)
def test_event_is_activity_of_the_transcripts_of_its_session(context: str, expected: bool, alice: User) -> None:
    before = timezone.now() - timedelta(hours=2)
    CaptureState.objects.create(user=alice, context_id=context, last_activity_at=before)

    handle(alice, event("PostToolUse", tool_name="Bash", tool_input={}, tool_response=""), {})

    state = CaptureState.objects.get()
    assert (state.last_activity_at > before, state.settled_until) == (expected, before if expected else None)


@pytest.mark.parametrize(
    ("posted", "seconds"),
    [
        (event("PostToolUse", tool_name="Bash", tool_input={}, tool_response=""), 300),
        (event("PostToolUseFailure", tool_name="Bash", tool_input={}, error="no"), 300),
        (event("UserPromptSubmit", prompt=""), 60),
        (event("Stop", last_assistant_message=""), 60),
    ],
    ids=lambda value: value["hook_event_name"] if isinstance(value, dict) else str(value),
)
def test_activity_is_noted_once_a_minute_and_at_tool_calls_once_in_five(
    posted: dict[str, Any], seconds: int, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    parsed = hook_event.parse(json.dumps(posted).encode())
    for ago, is_noted in ((seconds - 10, False), (seconds + 10, True)):
        call = handlers.Call(alice, None, parsed, ROOT, {"active_at": timezone.now().timestamp() - ago})
        is_tool = posted["hook_event_name"].startswith("PostToolUse")
        assert HANDLER.idle is not None
        assert HANDLER.idle(call) == (is_tool and not is_noted)
        with django_assert_num_queries(int(is_noted)):
            HANDLER.handle(call)


def test_prompt_is_a_learning_with_its_event_as_the_source(alice: User, shared_project: Project) -> None:
    memory: dict[str, Any] = {}

    assert handle(alice, event("UserPromptSubmit", prompt=CORRECTION), memory, shared_project) == ""

    row = Learning.objects.first()
    assert row is not None
    source = row.sources.get()
    assert (row.user, row.project, source.message_index) == (alice, shared_project, 1)
    assert source.message_uuid.startswith("hook-")
    assert source.capture.state.context_id == f"claude-code-{SESSION}-hooks"
    assert {name: source.capture.metadata[name] for name in ("agent", "agent_kind", "session_id", "project")} == {
        "agent": "main",
        "agent_kind": "claude-code",
        "session_id": SESSION,
        "project": shared_project.key,
    }
    assert memory["index"] == 1


def test_agent_that_repeats_the_context_of_its_project_teaches_nothing(alice: User, shared_project: Project) -> None:
    store_by_hand(alice, shared_project, IncomingLearning("gotcha", FINAL, 1.0, 0))
    handle(alice, event("Stop", last_assistant_message=f"As the memory says: {FINAL}"), {}, shared_project)
    repeated = Learning.objects.count()
    handle(alice, event("Stop", last_assistant_message=FINAL), {}, None)

    assert (repeated, Learning.objects.count()) == (1, 2)


def test_messages_of_a_session_are_numbered_and_a_repeated_one_is_ignored(alice: User) -> None:
    memory: dict[str, Any] = {}
    for posted in (
        event("UserPromptSubmit", prompt=CORRECTION),
        event("UserPromptSubmit", prompt=CORRECTION),
        event("Stop", last_assistant_message=FINAL),
    ):
        handle(alice, posted, memory)

    ranges = Capture.objects.order_by("first_message_index").values_list("first_message_index", "last_message_index")
    assert (memory["index"], list(ranges)) == (2, [(1, 1), (2, 2)])


def test_memory_is_json_and_its_list_of_digests_is_bounded(alice: User) -> None:
    memory: dict[str, Any] = {}
    for number in range(60):
        handle(alice, event("UserPromptSubmit", prompt=f"Look at file number {number}"), memory)
        memory = json.loads(json.dumps(memory))

    assert (memory["index"], len(memory["seen"])) == (60, 50)


@pytest.mark.parametrize(
    "posted",
    [
        event("UserPromptSubmit", prompt=""),
        event("UserPromptSubmit", prompt=7),
        event("UserPromptSubmit", prompt=CORRECTION, agent_id="a1"),
        event("UserPromptSubmit", prompt=f"<system-reminder>{CORRECTION}</system-reminder>"),
        event("Stop", last_assistant_message=None),
    ],
    ids=["empty prompt", "prompt is a number", "prompt to a sub-agent", "reminder", "no final message"],
)
def test_event_in_which_nobody_speaks_stores_nothing(posted: dict[str, Any], alice: User) -> None:
    memory: dict[str, Any] = {}

    assert handle(alice, posted, memory) == ""
    assert (Learning.objects.count(), list(memory)) == (0, ["active_at"])


@pytest.mark.parametrize(
    ("trigger", "stored"), [("auto", "auto"), ("manual", "manual"), ("of the future", "detected"), (None, "detected")]
)
def test_compaction_is_stored_under_its_transcript(trigger: str | None, stored: str, alice: User) -> None:
    handle(alice, event("PreCompact", trigger=trigger), {})

    assert Compaction.objects.values_list("context_id", "trigger").get() == (f"claude-code-{SESSION}", stored)


def test_compaction_that_follows_within_seconds_is_the_same_and_a_later_one_is_another(alice: User) -> None:
    memory: dict[str, Any] = {}
    handle(alice, event("PreCompact", trigger="auto"), memory)
    handle(alice, event("PreCompact", trigger="auto"), memory)
    first = Compaction.objects.count()
    memory["compacted_at"] -= 31
    handle(alice, event("PreCompact", trigger="auto"), memory)

    assert (first, Compaction.objects.count()) == (1, 2)


def test_compaction_of_a_sub_agent_is_not_counted(alice: User) -> None:
    handle(alice, event("PreCompact", trigger="auto", agent_id="a1"), {})

    assert Compaction.objects.count() == 0


def test_final_message_that_the_agent_takes_back_is_hidden(alice: User) -> None:
    memory: dict[str, Any] = {}
    handle(alice, event("Stop", last_assistant_message="The root cause was that `export()` held the lock."), memory)
    handle(alice, event("Stop", last_assistant_message="Actually, `export()` is right: no lock is held."), memory)

    assert [learning.hidden for learning in Learning.objects.all()] == [True]
