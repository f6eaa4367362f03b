"""How Codex's tool calls came out, read from their outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture.local.transcripts.codex_outputs import result_from
from capture.local.transcripts.messages import Outcome, ToolUse

USE = ToolUse("1", "shell", "make")


@pytest.mark.parametrize(
    ("output", "outcome", "text"),
    [
        ("all good", Outcome.OK, "all good"),
        ("Exit code: 0\nWall time: 1 s\nOutput:\nbuilt", Outcome.OK, "built"),
        ("Process exited with code 2\nOutput:\nno rule", Outcome.FAILED, "Exit code 2\nno rule"),
        ("exit code 3\nno rule", Outcome.FAILED, "Exit code 3\nno rule"),
        ("failed to parse function arguments", Outcome.FAILED, "failed to parse function arguments"),
        (
            "failed in sandbox X with execution error: denied exec error, exit code: 2, stdout: , stderr: no rule",
            Outcome.FAILED,
            "Exit code 2\n, stderr: no rule",
        ),
        ("failed in sandbox: timed out", Outcome.FAILED, "failed in sandbox: timed out"),
        ([{"text": "a"}, {"text": "b"}], Outcome.OK, "a\nb"),
        ({"content": "a", "success": True}, Outcome.OK, "a"),
        ({"content": "no such file", "success": False}, Outcome.FAILED, "no such file"),
        ({"output": "no rule", "metadata": {"exit_code": 2}}, Outcome.FAILED, "Exit code 2\nno rule"),
        (json.dumps({"output": "no rule", "metadata": {"exit_code": 2}}), Outcome.FAILED, "Exit code 2\nno rule"),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0}}), Outcome.OK, "fine"),
        ('{"metadata": torn', Outcome.OK, '{"metadata": torn'),
        ({"output": "x", "metadata": {"exit_code": True}}, Outcome.OK, "x"),
        (None, Outcome.OK, ""),
    ],
)
def test_result_is_read_from_any_form_of_output(output: Any, outcome: Outcome, text: str) -> None:
    result = result_from(output, USE)
    assert (result.use, result.outcome, result.text) == (USE, outcome, text)


def test_status_below_the_heading_is_a_programs_own() -> None:
    text = "1\n2\n3\n4\n5\n6\nExit code: 2"
    assert (result_from(text, USE).outcome, result_from(text, USE).text) == (Outcome.OK, text)
    assert result_from("1\n2\n3\n4\n5\nExit code: 2", USE).outcome == Outcome.FAILED


def test_words_of_failure_after_a_stated_success_are_output() -> None:
    assert result_from("Exit code: 0\nOutput:\nfailed to warm the cache", USE).outcome == Outcome.OK
