"""What Codex 0.147 and later records of commands that scripts of the model run, and of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capture.local.transcripts.agents.codex import CodexReader
from capture.local.transcripts.codex_items import call_in
from capture.local.transcripts.messages import Message, Outcome
from tests.support.agents.codex_rollouts import Rollout


@pytest.fixture
def rollout(tmp_path: Path) -> Rollout:
    made = Rollout(tmp_path / "sessions")
    made.begin()
    return made


def read(rollout: Rollout, *, limit: int = 10**9) -> list[Message]:
    messages, offset, memory = list[Message](), 0, dict[str, Any]()
    with CodexReader().open(rollout.path) as file:
        while (reading := CodexReader().read(file, offset, memory, limit=limit)).end > offset:
            messages += reading.messages
            offset, memory = reading.end, reading.memory
    return messages


def calls(rollout: Rollout, *, limit: int = 10**9) -> list[tuple[str, str]]:
    return [(use.name, use.command) for message in read(rollout, limit=limit) for use in message.uses]


def results(rollout: Rollout) -> list[tuple[str, Outcome, str]]:
    return [
        (result.use.command if result.use else "", result.outcome, result.text)
        for message in read(rollout)
        for result in message.results
    ]


MCP_CALL: dict[str, Any] = {"type": "McpToolCall", "server": "db", "tool": "query"}


def command(call: str, words: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "CommandExecution",
        "id": call,
        "command": ["/bin/sh", "-lc", words],
        "status": "completed",
    } | fields


def run_script(
    rollout: Rollout, call: str, *items: dict[str, Any], output: str = "Script completed\nOutput:\n"
) -> None:
    rollout.item("custom_tool_call", call_id=call, name="exec", input="await tools.exec_command({});")
    for item in items:
        rollout.event("item_completed", item=item)
    rollout.item("custom_tool_call_output", call_id=call, output=[{"type": "input_text", "text": output}])


@pytest.mark.parametrize("limit", [1, 10**9], ids=["line by line", "at once"])
def test_commands_of_a_script_are_calls_and_the_script_itself_is_none(rollout: Rollout, limit: int) -> None:
    run_script(rollout, "k1", command("e1", "make lint"), command("e2", "make test", exit_code=2, stdout="E x\n"))
    run_script(rollout, "k2", command("e3", "make test", exit_code=0, aggregated_output="3 passed\n"))
    assert calls(rollout, limit=limit) == [
        ("exec_command", "make lint"),
        ("exec_command", "make test"),
        ("exec_command", "make test"),
    ]
    assert results(rollout) == [
        ("make lint", Outcome.OK, ""),
        ("make test", Outcome.FAILED, "Exit code 2\nE x"),
        ("make test", Outcome.OK, "3 passed"),
    ]


def test_script_whose_calls_are_not_recorded_is_a_call_itself(rollout: Rollout) -> None:
    run_script(rollout, "k1", output="the whole output")
    assert calls(rollout) == [("exec", "")]
    assert results(rollout) == [("", Outcome.OK, "the whole output")]


def test_call_that_the_model_made_itself_is_not_read_twice(rollout: Rollout) -> None:
    rollout.item("function_call", call_id="k1", name="exec_command", arguments='{"cmd": "make"}')
    rollout.event("item_completed", item=command("k1", "make", exit_code=0))
    rollout.item("function_call_output", call_id="k1", output="done")
    rollout.event("item_completed", item=command("k1", "make", exit_code=0))
    assert calls(rollout) == [("exec_command", "make")]
    assert results(rollout) == [("make", Outcome.OK, "done")]


@pytest.mark.parametrize("kind", ["text", "Text"])
def test_words_are_read_where_items_took_the_place_of_events(rollout: Rollout, kind: str) -> None:
    for name, words in (("UserMessage", "use tabs"), ("AgentMessage", "Tabs it is.")):
        rollout.event("item_completed", item={"type": name, "content": [{"type": kind, "text": words}]})
    rollout.said("user", "use tabs")
    assert [(str(one.role), one.text) for one in read(rollout) if one.text] == [
        ("person", "use tabs"),
        ("agent", "Tabs it is."),
    ]


def test_words_that_events_and_items_both_have_are_read_once(rollout: Rollout) -> None:
    rollout.person("use tabs")
    rollout.event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "use tabs"}]})
    assert [one.text for one in read(rollout) if one.text] == ["use tabs"]


def test_summary_of_a_compaction_is_nobodys_words(rollout: Rollout) -> None:
    rollout.said(
        "user",
        "Another language model started to solve this problem and produced a summary of its thinking process. "
        "We always run the migrations before the tests.",
    )
    rollout.said("user", "go on")
    assert [one.text for one in read(rollout) if one.text] == ["go on"]


@pytest.mark.parametrize(
    ("item", "name", "files", "outcome", "text"),
    [
        (
            {"type": "FileChange", "id": "f", "changes": {"/w/a.py": {"type": "update"}}, "status": "completed"},
            "apply_patch",
            ("a.py",),
            Outcome.OK,
            "",
        ),
        (
            {"type": "FileChange", "id": "f", "changes": [{"path": "b.py", "kind": "add"}], "status": "failed"},
            "apply_patch",
            ("b.py",),
            Outcome.FAILED,
            "",
        ),
        (
            MCP_CALL | {"arguments": {"path": "x.sql"}, "result": {"content": [{"text": "7"}]}},
            "mcp__db__query",
            ("x.sql",),
            Outcome.OK,
            "7",
        ),
        (
            MCP_CALL | {"status": "failed", "error": {"message": "no table"}},
            "mcp__db__query",
            (),
            Outcome.FAILED,
            "no table",
        ),
        (command("c", "rm -rf build", status="declined"), "exec_command", (), Outcome.REJECTED, ""),
    ],
    ids=["patch", "failed patch", "MCP", "failed MCP", "declined"],
)  # fmt: skip
def test_calls_of_each_kind(
    item: dict[str, Any], name: str, files: tuple[str, ...], outcome: Outcome, text: str
) -> None:
    call = call_in(item, "/w")
    assert call is not None
    use, result = call
    assert (use.name, use.files, result.outcome, result.text) == (name, files, outcome, text)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"type": ["CommandExecution"]},
        {"type": "Reasoning"},
        command("c", "make", status="in_progress"),
        {"type": "WebSearch", "query": "x"},
    ],
)
def test_items_that_are_no_finished_calls_are_none(item: dict[str, Any]) -> None:
    assert call_in(item, "/w") is None


@pytest.mark.parametrize("field", ["command", "status", "exit_code", "stdout", "id", "cwd"])
@pytest.mark.parametrize("value", [None, 7, [], {}, [None], "x"])
def test_field_of_any_type_is_read_without_an_error(rollout: Rollout, field: str, value: object) -> None:
    run_script(rollout, "k1", command("e1", "make") | {field: value})
    rollout.said("user", "go on")
    assert [one.text for one in read(rollout) if one.text] == ["go on"]
