"""What is read out of a call and its result while they are there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local.calls.row import row_of


def facts(name: str, arguments: Any, result: Any = None, **more: Any) -> dict[str, Any]:
    return row_of({"tool_name": name, "tool_input": arguments, "result": result} | more)


def test_silence_of_a_shell_is_known_and_empty_however_many_fields_say_so() -> None:
    silent = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": "", "interrupted": False}}
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "true"}}
    row = row_of(given | silent)
    assert (row["result_key"], row["says"], row["result_head"]) == ("empty", "nothing", "")


def test_result_that_was_not_given_is_unknown() -> None:
    assert facts("Bash", {"command": "ls"})["result_key"] == ""


def test_what_is_shown_of_a_result_is_redacted_and_short() -> None:
    row = facts("Bash", {"command": "env"}, "TOKEN=ghp_0123456789abcdef0123456789abcdef0123 " + "x" * 900)
    assert "ghp_0123" not in row["result_head"]
    assert len(row["result_head"]) <= 160


@pytest.mark.parametrize(
    ("name", "arguments", "polls"),
    [
        ("BashOutput", {"bash_id": "1"}, True),
        ("write_stdin", {"chars": ""}, True),
        ("write_stdin", {"chars": "y\n"}, False),
        ("process", {"action": "poll"}, True),
        ("process", {"action": "kill"}, False),
        ("mcp__ci__get_status", {}, True),
        ("Read", {"file_path": "a"}, False),
        ("Bash", {"command": "sleep 5"}, True),
    ],
)
def test_what_only_waits_is_known(name: str, arguments: dict[str, Any], polls: bool) -> None:
    assert facts(name, arguments, "x")["polls"] is polls


def test_file_that_tells_of_errors_is_no_failure_and_no_report_of_tests() -> None:
    row = facts("Read", {"file_path": "a.log"}, "==== 3 failed, 5 passed in 0.12s ====\nerror")
    assert (row["failures"], row["looks"]) == (None, True)
    assert facts("Bash", {"command": "cat a.log"}, "==== 3 failed, 5 passed in 0.12s ====")["failures"] is None


@given(st.text(), st.text() | st.none() | st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=4))
def test_any_command_and_result_are_read_without_failing(command: str, result: Any) -> None:
    row = facts("Bash", {"command": command}, result)
    assert len(str(row["result_head"])) <= 160
    assert row["failures"] is None or row["failures"] >= 0


@pytest.mark.parametrize(
    ("command", "error", "polls"),
    [
        ("curl -s https://shop.io/api", "Exit code 7", True),
        ("curl -s https://shop.io/api | jq .", "Exit code 4\ncurl: (7) Failed to connect to shop.io", True),
        ("pg_isready -h db", "Exit code 2\ndb:5432 - no response", True),
        ("curl -s https://shop.io/api", "Exit code 22\n404", False),
        ("python load.py", "Exit code 1\nConnectionError: connection refused", False),
        ("curl -s https://shop.io/api && ./deploy", "Exit code 7", False),
    ],
    ids=["curl", "curl and jq", "database", "answer of the server", "another program", "more than a request"],
)
def test_request_that_nobody_listens_to_waits(command: str, error: str, polls: bool) -> None:
    assert facts("Bash", {"command": command}, error=error)["polls"] is polls


@pytest.mark.parametrize(
    ("command", "answer", "polls"),
    [
        ("curl -s localhost:8000/sum", '{"sum": 12}', False),
        ("curl -s localhost:8000/sum | jq .sum", "12 apples", False),
        ("curl -s localhost:8000/health", '{"state": "starting"}', True),
        ("sleep 3; curl -s localhost:8000/sum", '{"sum": 12}', True),
        ("curl -s localhost:8000/sum || true", "", True),
        ("curl -s localhost:8000/sum", "502 Bad Gateway: connection refused", True),
        ("sleep 3", "", True),
    ],
    ids=["answer", "answer and jq", "asks how it is", "sleeps", "no answer", "failure", "no request"],
)
def test_request_that_a_local_server_answers_is_no_waiting(command: str, answer: str, polls: bool) -> None:
    assert facts("Bash", {"command": command}, answer)["polls"] is polls


@pytest.mark.parametrize(
    ("command", "removes"),
    [
        ("rm -f a.py 'b c.py'", ["a.py", "b c.py"]),
        ("cd x && rm y.py; ls", ["y.py"]),
        ("python form.py", []),
        ("echo rm a.py", []),
        ("rm " + " ".join("abcdefghij"), list("abcdefgh")),
    ],
    ids=["options and quotes", "one of several", "no rm", "only named", "many"],
)
def test_files_that_a_command_removes_are_named(command: str, removes: list[str]) -> None:
    assert facts("Bash", {"command": command}, "")["removes"] == removes


def test_command_that_failed_removed_nothing() -> None:
    assert facts("Bash", {"command": "rm a.py"}, error="Exit code 1\nno such file")["removes"] == []


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("npm run lint", "success"),
        ("cd x && uv run ruff format .", "success"),
        ("make test", "success"),
        ("python check.py", ""),
    ],
)
def test_test_or_linter_that_ends_well_says_success_without_a_word(command: str, says: str) -> None:
    assert facts("Bash", {"command": command}, "> app@1.0.0\n> eslint .")["says"] == says
    assert facts("Bash", {"command": command}, "3 errors found")["says"] == "failure"
