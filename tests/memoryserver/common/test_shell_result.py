"""How a shell command ended, by the event of its call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import shell_result

CODEX = "Chunk ID: ab\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 3\nOutput:\nsaid {}"


def done(response: object, **fields: Any) -> dict[str, object]:
    return {"hook_event_name": "PostToolUse", "tool_input": {"command": "x"}, "tool_response": response, **fields}


def failed(error: object, **fields: Any) -> dict[str, object]:
    return {"hook_event_name": "PostToolUseFailure", "tool_input": {"command": "x"}, "error": error, **fields}


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (done({"stdout": "ok", "stderr": ""}), 0),
        (done({"stdout": "ok", "interrupted": True}), None),
        (done({"stdout": "", "backgroundTaskId": "b1"}), None),
        (done({"stdout": "", "returnCodeInterpretation": "No matches found"}), None),
        (done({"output": "x"}), None),
        (done({"exit_code": 3, "stdout": ""}), 3),
        (done({"output": "x", "metadata": {"exit_code": 0}}), 0),
        (done({"exit_code": True}), None),
        (done({"stdout": "x"}, tool_input={"command": "x", "run_in_background": True}), None),
        (done(CODEX.format(0, "Process exited with code 1")), 0),
        (done(CODEX.format(137, "")), 137),
        (done("Exit code: 2\nWall time: 1 seconds\nOutput:\nx"), 2),
        (done("Process running with session ID 7\nOutput:\nExit code: 0"), None),
        (done("all is well\nExit code: 0"), None),
        (done('{"output": "x", "metadata": {"exit_code": 1}}'), 1),
        (done('{"output": '), None),
        (done('{"a":' * 100_000), None),
        (done(None), None),
        (done([]), None),
        (failed("Exit code 1\nExit code 0"), 1),
        (failed("  Exit code 12"), 12),
        (failed("Error: Exit code 1"), None),
        (failed("Exit code 1", is_interrupt=True), None),
        (failed("The user doesn't want to proceed"), None),
        (failed(None), None),
        (failed(7), None),
        ({"hook_event_name": "Stop", "tool_response": {"stdout": ""}}, None),
        ({}, None),
    ],
)
def test_status_is_what_the_event_says_and_nothing_is_guessed(event: dict[str, object], status: int | None) -> None:
    assert shell_result.exit_status(event) == status


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        ({"stdout": "a\x1b[31mb\x1b[0m", "stderr": "c"}, "ab\nc"),
        ("said\x00so", "said\ufffdso"),
        ("Exit code 1\nboom", "Exit code 1\nboom"),
        (None, ""),
        ({"stdout": 7}, ""),
    ],
)
def test_output_is_clean_text(answer: object, printed: str) -> None:
    assert shell_result.output(answer) == printed


def test_tail_holds_whole_lines_and_no_secret() -> None:
    lines = [f"line {n}" for n in range(1000)] + ["token ghp_" + "a1B2" * 9]
    kept = shell_result.tail("\n".join(lines), 100)
    assert len(kept) <= 100
    assert kept.split("\n")[0] == "…"
    assert kept.endswith("line 999\ntoken [redacted:github-token]")
    assert set(kept.split("\n")[1:-1]) <= set(lines)


@given(st.text(max_size=300), st.integers(10, 60))
def test_tail_is_never_longer_than_asked(printed: str, limit: int) -> None:
    assert len(shell_result.tail(printed, limit)) <= limit


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("hook_event_name", "tool_input", "tool_response", "error", "is_interrupt")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, JSON | st.sampled_from(["PostToolUse"]))))
def test_any_event_is_borne_with(event: dict[str, Any]) -> None:
    status = shell_result.exit_status(event)
    assert status is None or isinstance(status, int)
    assert isinstance(shell_result.output(event), str)


@pytest.mark.parametrize(
    ("answer", "without"),
    [
        (CODEX.format(0, "x\nOutput:\ny"), "said x\nOutput:\ny"),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\n", ""),
        ("plain output\nof a program", "plain output\nof a program"),
        ("", ""),
    ],
)
def test_head_of_codex_is_taken_off_and_nothing_else(answer: str, without: str) -> None:
    assert shell_result.without_head(answer) == without
