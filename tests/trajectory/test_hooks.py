"""Tool calls posted by hooks: each is stored once, under the agent's id, and the observers' text is returned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memoryserver.accounts.models import Project, User
from memoryserver.common import hook_event
from memoryserver.hooks import handlers
from tests.support.agents.hook_events import ROOT, SESSION, done, event, failed
from trajectory.hooks import HANDLER
from trajectory.models import AssessmentRecord, ToolCall, Trajectory


def handle(
    user: User, posted: dict[str, Any], project: Project | None = None, memory: dict[str, Any] | None = None
) -> str:
    parsed = hook_event.parse(json.dumps(posted).encode())
    return HANDLER.handle(handlers.Call(user, project, parsed, ROOT, {} if memory is None else memory))


def test_handler_is_registered_for_calls_and_what_divides_them() -> None:
    ends = (hook_event.SESSION_END, hook_event.SUBAGENT_STOP)
    starts = (hook_event.PROMPT, hook_event.SESSION_START, hook_event.BEFORE_COMPACTION)
    for name in (hook_event.TOOL_DONE, hook_event.TOOL_FAILED, *starts, *ends):
        assert HANDLER in handlers.for_event(name)
    assert HANDLER not in handlers.for_event("Stop")


def test_call_is_stored_in_its_session_and_project(alice: User, shared_project: Project) -> None:
    read = done(1, "Read", {"file_path": f"{ROOT}/src/export.py"}, {"type": "text", "file": {"content": "x"}})

    assert handle(alice, read, shared_project) == ""

    row = ToolCall.objects.get()
    assert (row.session_id, row.project, row.call_id, row.outcome) == (SESSION, shared_project, "toolu_0001", "ok")
    assert row.body["paths"] == ["src/export.py"]


def test_token_that_may_only_send_gets_no_text_and_the_agent_does_not_count_as_told(alice: User) -> None:
    for number in range(3):
        posted = failed(number, "Bash", {"command": "make"}, "Exit code 2\nNo rule")
        parsed = hook_event.parse(json.dumps(posted).encode())
        assert HANDLER.handle(handlers.Call(alice, None, parsed, ROOT, {}, may_read=False)) == ""

    assert set(AssessmentRecord.objects.values_list("told_at_call", flat=True)) == {None}


def test_repeated_event_is_stored_once(alice: User) -> None:
    for _ in range(2):
        handle(alice, done(1, "Read", {"file_path": "a"}, "x"))

    assert ToolCall.objects.count() == 1


def test_calls_without_an_id_are_all_stored(alice: User) -> None:
    for _ in range(2):
        handle(alice, done(1, "Read", {"file_path": "a"}, "x") | {"tool_use_id": ""})

    assert ToolCall.objects.count() == 2


def test_third_failure_of_the_same_command_returns_text_for_the_agent(alice: User) -> None:
    texts = [handle(alice, failed(number, "Bash", {"command": "make"}, "Exit code 2\nNo rule")) for number in range(3)]

    assert texts[:2] == ["", ""]
    assert "make" in texts[2]


def test_transcript_on_the_agents_machine_is_not_opened(alice: User, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    message = {"message": {"id": "m1", "content": [{"type": "tool_use", "id": "toolu_0001"}]}}
    transcript.write_text(json.dumps(message) + "\n")

    handle(alice, done(1, "Read", {"file_path": "a"}, "x") | {"transcript_path": str(transcript)})

    assert ToolCall.objects.get().body["batch_id"] == ""


def test_event_without_a_tool_is_logged_in_one_line_and_not_stored(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    nameless = done(1, "Read", {}, "x")
    del nameless["tool_name"]

    assert handle(alice, nameless) == ""
    assert not ToolCall.objects.exists()
    assert [(record.levelname, record.exc_info, vars(record)["reason"]) for record in caplog.records] == [
        ("WARNING", None, 'a tool call needs its tool_name, a string such as "Bash"')
    ]


def test_event_that_comes_again_as_from_hooks_installed_twice_has_no_second_text(alice: User) -> None:
    events = [failed(number, "Bash", {"command": "make"}, "Exit code 2\nNo rule") for number in range(4)]
    texts = [handle(alice, sent) for sent in (*events[:3], events[2], events[0], events[3])]

    assert [bool(text) for text in texts] == [False, False, True, False, False, False]
    assert AssessmentRecord.objects.get(observer="Repeated Call").told_at_call == 3


PERSON, MACHINE = "Try it once more", "<task-notification>done</task-notification>"


@pytest.mark.parametrize(
    ("prompts", "turns"),
    [
        ([], ["", ""]),
        ([{"prompt": PERSON}], ["", "prompt 1"]),
        ([{"prompt": PERSON}, {"prompt": PERSON}], ["", "prompt 1"]),
        ([{"prompt": MACHINE}], ["", ""]),
        ([{"prompt": PERSON, "agent_id": "a1"}], ["", ""]),
    ],
    ids=["none", "one", "the same event twice", "of a machine", "of a sub-agent"],
)
def test_prompt_of_a_person_begins_a_turn(alice: User, prompts: list[dict[str, str]], turns: list[str]) -> None:
    memory: dict[str, Any] = {}
    handle(alice, done(1, "Read", {"file_path": "a"}, "x"), memory=memory)
    for prompt in prompts:
        assert handle(alice, event("UserPromptSubmit", **prompt), memory=memory) == ""
    handle(alice, done(2, "Read", {"file_path": "a"}, "x"), memory=memory)

    assert [call.body["turn"] for call in ToolCall.objects.order_by("call_index")] == turns


def test_turn_that_an_event_names_comes_before_the_counted_one(alice: User) -> None:
    memory: dict[str, Any] = {}
    for number in range(2):
        handle(alice, done(number, "Read", {"file_path": "a"}, "x") | {"prompt_id": "p7"}, memory=memory)
        handle(alice, event("UserPromptSubmit", prompt=PERSON), memory=memory)

    assert list(ToolCall.objects.values_list("body__turn", flat=True)) == ["p7", "p7"]


def test_failures_before_and_after_a_prompt_are_not_added_up(alice: User) -> None:
    memory: dict[str, Any] = {}

    def fails(number: int) -> bool:
        return bool(handle(alice, failed(number, "Bash", {"command": "make"}, "No rule"), memory=memory))

    before = [fails(number) for number in range(2)]
    handle(alice, event("UserPromptSubmit", prompt=PERSON), memory=memory)
    assert (before, [fails(number) for number in range(2, 5)]) == ([False, False], [False, False, True])


@pytest.mark.parametrize(
    ("posted", "compactions"),
    [
        (event("PreCompact", trigger="auto"), [0, 1]),
        (event("SessionStart", source="compact"), [0, 1]),
        (event("SessionStart", source="resume"), [0, 0]),
    ],
    ids=["before", "after", "another start"],
)
def test_call_after_a_compaction_is_marked(alice: User, posted: dict[str, Any], compactions: list[int]) -> None:
    memory: dict[str, Any] = {}
    handle(alice, done(1, "Read", {"file_path": "a"}, "x"), memory=memory)
    assert handle(alice, posted, memory=memory) == ""
    handle(alice, done(2, "Read", {"file_path": "a"}, "x"), memory=memory)

    assert [call.body["compactions"] for call in ToolCall.objects.order_by("call_index")] == compactions


def test_end_of_the_session_ends_its_findings(alice: User) -> None:
    for number in range(3):
        handle(alice, failed(number, "Bash", {"command": "make"}, "Exit code 2\nNo rule"))
    assert handle(alice, event("SessionEnd", reason="other")) == ""

    assert Trajectory.objects.get().ended_at is not None
    assert AssessmentRecord.objects.get(observer="Repeated Call").ended_with_session is True


def test_stop_of_a_sub_agent_ends_its_own_trajectory_alone(alice: User) -> None:
    for agent in ("", "a1"):
        handle(alice, done(1, "Read", {"file_path": "a"}, "x") | {"agent_id": agent})
    for stopped in ({"agent_id": "a1"}, {}):
        handle(alice, event("SubagentStop", **stopped))

    assert list(Trajectory.objects.filter(ended_at=None).values_list("agent_id", flat=True)) == [""]


def test_sub_agents_session_is_titled_by_its_type(alice: User) -> None:
    memory: dict[str, Any] = {}
    handle(alice, event("UserPromptSubmit", prompt=PERSON), memory=memory)
    for number in (1, 2):
        call = done(number, "Read", {"file_path": "a"}, "x") | {"agent_id": "a1", "agent_type": "Explore"}
        handle(alice, call, memory=memory)
    assert list(Trajectory.objects.values_list("agent_id", "title")) == [("a1", "Explore")]


def test_first_prompt_is_the_title_of_the_session(alice: User) -> None:
    memory: dict[str, Any] = {}
    for prompt in (MACHINE, "Fix the cart total\nplease", "Go on"):
        handle(alice, event("UserPromptSubmit", prompt=prompt), memory=memory)
    handle(alice, done(1, "Read", {"file_path": "a"}, "x"), memory=memory)

    assert Trajectory.objects.get().title == "Fix the cart total"
