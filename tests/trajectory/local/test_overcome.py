"""A failure is overcome when the command that failed again and again has worked."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.local.overcome import overcome

FAIL, OK = "error", "ok"


def call(came_out: str, command: str = "pytest -x", tool: str = "Bash") -> dict[str, str]:
    return {"tool_name": tool, "params_summary": command, "args_hash": command, "outcome": came_out}


def report(failures: int, failing: str = "of a") -> dict[str, Any]:
    return call(FAIL) | {"failures": failures, "failing": failing}


CASES: dict[str, tuple[list[dict[str, Any]], tuple[str, int] | None]] = {
    "nothing": ([], None),
    "worked": ([call(OK)], None),
    "failed once, then worked": ([call(FAIL), call(OK)], None),
    "failed twice, then worked": ([call(FAIL), call(FAIL), call(OK)], ("pytest -x", 2)),
    "others in between": ([call(FAIL), call(OK, "ls"), call(FAIL), call(OK, "make"), call(OK)], ("pytest -x", 2)),
    "failed again since": ([call(FAIL), call(FAIL), call(OK), call(FAIL)], None),
    "still fails": ([call(FAIL), call(FAIL), call(FAIL)], None),
    "another command worked": ([call(FAIL), call(FAIL), call(OK, "make")], None),
    "the one that failed most": (
        [call(FAIL, "make"), call(FAIL, "make"), call(OK, "make"), call(FAIL), call(FAIL), call(FAIL), call(OK)],
        ("pytest -x", 3),
    ),
    "turned down in between": ([call(FAIL), call("rejection"), call(OK)], None),
    "edits": ([call(FAIL, tool="Edit"), call(FAIL, tool="Edit"), call(OK, tool="Edit")], None),
    "stored since": ([call(FAIL), call(FAIL), call(OK), call(OK, "memory learn --type gotcha 'x'")], None),
    "stored with the tool since": (
        [call(FAIL), call(FAIL), call(OK), call(OK, tool="mcp__memory__store_learning")],
        None,
    ),
    "stored before": (
        [call(OK, tool="mcp__memory__store_learning"), call(FAIL), call(FAIL), call(OK)],
        ("pytest -x", 2),
    ),
    "ever fewer tests fail": ([report(2), report(1), call(OK)], None),
    "one test failed, then another": ([report(1), report(1, "of b"), call(OK)], None),
    "the same tests failed again": ([report(2), report(1), report(1), call(OK)], ("pytest -x", 2)),
    "rows of another version": ([{}, {"tool_name": None}], None),
}


@pytest.mark.parametrize("case", CASES)
def test_failure_that_was_overcome(case: str) -> None:
    rows, expected = CASES[case]

    assert overcome(rows) == expected
