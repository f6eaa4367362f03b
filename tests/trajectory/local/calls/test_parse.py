"""Both forms of a tool call become rows; what is none is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectory.local.calls.test_summary import JSON
from trajectory.local.calls import parse, record
from trajectory.local.calls.row import row_of


def event(name: str, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s", "tool_name": "Bash", "tool_use_id": "toolu_1"} | fields


def test_failure_event_of_the_documentation_becomes_an_error():
    given_event = event(
        "PostToolUseFailure",
        tool_input={"command": "npm test", "description": "Run test suite"},
        error="Exit code 1\nError: Cannot find module 'express'",
        is_interrupt=False,
        duration_ms=4187,
    )
    row = row_of(given_event)
    kept = ("params_summary", "success", "outcome", "error_message", "kind", "tool_use_id", "duration_ms")
    assert [row[key] for key in kept] == [
        "command=npm test",
        False,
        "error",
        "Exit code 1\nError: Cannot find module 'express'",
        "command",
        "toolu_1",
        4187,
    ]


def test_success_event_is_a_success_whatever_its_output_says():
    output = {"stdout": "test_failed_login PASSED, 0 errors", "stderr": "", "interrupted": False}
    row = row_of(event("PostToolUse", tool_input={"command": "pytest"}, tool_response=output))
    assert (row["success"], row["outcome"], row["error_message"]) == (True, "ok", None)


@pytest.mark.parametrize(
    ("name", "response", "expected"),
    [
        ("Bash", {"stdout": "", "interrupted": True}, "cancelled"),
        ("mcp__x__y", {"isError": True, "content": [{"type": "text", "text": "bad id"}]}, "error"),
        ("exec_command", "Process exited with code 2\n\nOutput:\nboom", "error"),
        ("exec_command", "Process exited with code 0\n\nOutput:\nfine", "ok"),
        ("exec_command", "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nboom", "error"),
        ("exec_command", "Chunk ID: a\nProcess exited with code 0\nOutput:\nProcess exited with code 2", "ok"),
        ("Read", "Process exited with code 2", "ok"),
    ],
)
def test_failure_inside_an_answer_is_found_where_the_agent_puts_it(name, response, expected):
    row = row_of(event("PostToolUse", tool_name=name, tool_input={"cmd": "make"}, tool_response=response))
    assert row["outcome"] == expected


def test_result_of_codex_is_what_the_command_printed_and_compares_as_such():
    rows = [
        row_of(event("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response=response))
        for response in (
            "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\npackages",
            "Chunk ID: b2\nWall time: 0.2 seconds\nProcess exited with code 0\nOutput:\npackages",
        )
    ]
    assert [row["result_head"] for row in rows] == ["packages", "packages"]
    assert len({row["result_key"] for row in rows}) == 1


def test_interrupted_failure_is_cancelled():
    row = row_of(event("PostToolUseFailure", error="Exit code 137", is_interrupt=True))
    assert row["outcome"] == "cancelled"


def test_grep_without_a_match_is_recorded_as_a_success_of_its_own_class():
    row = row_of(event("PostToolUseFailure", tool_input={"command": "grep x y"}, error="Exit code 1"))
    assert (row["success"], row["outcome"], row["error_message"]) == (True, "no-match", None)


def test_plain_form_without_success_is_judged_by_its_error():
    assert row_of({"tool_name": "T"})["outcome"] == "ok"
    assert row_of({"tool_name": "T", "error": "no"})["error_message"] == "no"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"outcome": "no-match"}, ("no-match", True, None)),
        ({"outcome": "rejection", "error": "not like that"}, ("rejection", False, "not like that")),
        ({"outcome": "cancelled"}, ("cancelled", False, "failed without a message")),
        ({"outcome": "error", "result": "boom", "success": False}, ("error", False, "boom")),
        ({"outcome": "ok", "error": "a warning"}, ("ok", True, None)),
        ({"status": 0, "result": "fine"}, ("ok", True, None)),
        ({"status": 2, "result": "boom"}, ("error", False, "Exit code 2\nboom")),
        ({"status": 2, "error": "The user doesn't want to proceed with this tool use"}, ("error", False, ...)),
        ({"status": 1, "tool_name": "Bash", "tool_input": {"command": "grep a b"}}, ("no-match", True, None)),
        ({"status": 3, "success": True}, ("ok", True, None)),
    ],
)
def test_outcome_and_status_of_the_plain_form_are_taken_as_they_are(
    fields: dict[str, Any], expected: tuple[object, ...]
) -> None:
    row = row_of({"tool_name": "T"} | fields)
    assert (row["outcome"], row["success"]) == expected[:2]
    assert expected[2] in (row["error_message"], ...)


def test_status_that_codex_reports_is_a_number_and_the_first_line_of_what_is_shown() -> None:
    response = "Process exited with code 2\nOutput:\nerror: boom"
    call = parse.read(event("PostToolUse", tool_name="exec_command", tool_input={"cmd": "x"}, tool_response=response))
    assert (call.status, call.error, call.outcome) == (2, "error: boom", "error")
    assert row_of(call)["error_message"] == "Exit code 2\nerror: boom"


def test_call_is_read_into_one_object() -> None:
    report = event(
        "PostToolUse",
        agent_id="a1",
        prompt_id="p1",
        cwd="/work",
        tool_input={"command": ["bash", "-lc", "make"]},
        tool_response={"stdout": "a\x07", "stderr": "b"},
    )
    call = parse.read(report)
    assert (call.session_id, call.agent_id, call.tool_use_id, call.turn, call.cwd) == (
        "s",
        "a1",
        "toolu_1",
        "p1",
        "/work",
    )
    assert (call.command, call.status, call.outcome, call.error, call.printed) == ("make", 0, "ok", None, "a\nb")


def test_command_in_the_background_has_no_status() -> None:
    report = event(
        "PostToolUse", tool_input={"command": "make", "run_in_background": True}, tool_response={"stdout": ""}
    )
    assert parse.read(report).status is None


def test_plain_failure_without_an_error_takes_the_result_for_it():
    row = row_of({"tool_name": "T", "success": False, "result": "it broke"})
    assert row["error_message"] == "it broke"


@pytest.mark.parametrize("key", ["tool_input", "result", "error"])
def test_deeply_nested_call_is_a_row_or_refused_in_one_line(key):
    for depth in (100, 400, 900):
        nested: object = "x"
        for _ in range(depth):
            nested = [{"error": nested}]
        try:
            row_of({"tool_name": "T", "success": False, key: nested})
        except parse.CallError as refused:
            assert str(refused) == "the call's JSON is nested too deeply"  # noqa: PT017


def test_time_given_is_kept_in_utc():
    row = row_of({"tool_name": "T", "timestamp": "2026-01-15T15:32:00+01:00"})
    assert row["timestamp"] == "2026-01-15T14:32:00Z"


@pytest.mark.parametrize(
    ("given_call", "said"),
    [
        ({}, 'a tool call needs its tool_name, a string such as "Bash"'),
        ({"tool_name": 3}, 'a tool call needs its tool_name, a string such as "Bash"'),
        ({"tool_name": "T", "success": "no"}, 'success must be true or false, not "no"'),
        ({"tool_name": "T", "status": "2"}, 'status must be a whole number, the exit status of the command, not "2"'),
        (
            {"tool_name": "T", "outcome": "bad"},
            'outcome must be one of cancelled, denial, error, no-match, ok, provider, rejection, not "bad"',
        ),
        (
            {"tool_name": "T", "outcome": "ok", "success": False},
            'success is false, which the outcome "ok" contradicts',
        ),
        (
            {"tool_name": "T", "timestamp": "2026-01-15T14:32:00"},
            'timestamp must be ISO 8601 with a zone, such as 2026-01-15T14:32:00Z, not "2026-01-15T14:32:00"',
        ),
        (
            {"tool_name": "T", "hook_event_name": "Stop"},
            '"Stop" is not an event of a finished tool call; PostToolUse and PostToolUseFailure are',
        ),
    ],
)
def test_what_is_no_call_is_refused_in_one_line(given_call, said):
    with pytest.raises(parse.CallError) as refused:
        row_of(given_call)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"nope", "standard input is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"[1]", "a tool call is a JSON object, this is a list"),
        (b"null", "a tool call is a JSON object, this is null"),
        (b"3", "a tool call is a JSON object, this is a number"),
        (b"[" * 200_000, "the JSON is nested too deeply for a tool call"),
    ],
)
def test_what_is_no_json_object_is_refused_in_one_line(data, said):
    with pytest.raises(parse.CallError) as refused:
        parse.parse(data)
    assert str(refused.value) == said


def test_byte_order_mark_and_invalid_bytes_are_borne_with():
    assert parse.parse(b'\xef\xbb\xbf{"tool_name": "caf\xe9"}') == {"tool_name": "caf\ufffd"}


@given(
    st.fixed_dictionaries(
        {"tool_name": st.text(min_size=1)},
        optional={
            "tool_input": JSON,
            "tool_response": JSON,
            "error": JSON,
            "result": JSON,
            "cwd": JSON,
            "session_id": JSON,
            "agent_id": JSON,
            "batch_id": JSON,
            "duration_ms": JSON,
            "is_interrupt": JSON,
            "hook_event_name": st.sampled_from(["PostToolUse", "PostToolUseFailure"]),
        },
    )
)
def test_any_json_with_a_tool_name_becomes_a_bounded_row_that_can_be_read_back(given_call):
    try:
        row = row_of(given_call, root="/work")
    except parse.CallError:
        assert not given_call["tool_name"].strip()
        return
    line = json.dumps(row, ensure_ascii=False).encode("utf-8")
    assert len(line) < 16_384
    assert b"\n" not in line
    assert record.to_row(record.from_row(row)) == row | {
        "call_index": 0,
        "repeats": 0,
        "same": 1,
        "streak": 0,
        "streak_from": 0,
        "streak_batch": "",
    }


@pytest.mark.parametrize(
    ("tool", "answer", "outcome"),
    [
        ("str_replace_editor", "ERROR: No replacement was performed", "error"),
        ("str_replace_editor", "ERROR:\nNo replacement was performed", "error"),
        ("Edit", "Error: no such file", "error"),
        ("Edit", "Errors are handled in a.py now", "ok"),
        ("Read", "error: this is what the file says", "ok"),
        ("Bash", "error: printed by a program", "ok"),
    ],
)
def test_edit_whose_answer_begins_with_error_was_refused(tool: str, answer: str, outcome: str) -> None:
    plain: dict[str, object] = {"tool_name": tool, "tool_input": {"path": "a.py"}, "result": answer}
    assert parse.read(plain).outcome == outcome
    event: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {},
        "tool_response": answer,
    }
    assert parse.read(event).outcome == outcome


def test_caller_that_says_success_is_believed() -> None:
    assert parse.read({"tool_name": "Edit", "result": "Error: x", "success": True}).outcome == "ok"


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome"),
    [
        ("mcp__memoryserver__search_memory", {"query": "x"}, "provider"),
        ("Bash", {"command": "memory search x"}, "provider"),
        ("mcp__other__search_memory", {"query": "x"}, "error"),
        ("Bash", {"command": "memorycheck x"}, "error"),
    ],
)
def test_call_of_the_memory_that_fails_is_no_failure_of_the_agent(
    tool: str, arguments: dict[str, str], outcome: str
) -> None:
    assert (
        parse.read({"tool_name": tool, "tool_input": arguments, "error": "limit must be a number"}).outcome == outcome
    )
