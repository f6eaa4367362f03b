"""Which lines of a command's output state a rule."""

from __future__ import annotations

import pytest

from capture.local.extraction.calls.rule_errors import RuleError, code_names, rule_errors

NOCTX = "os/exec.Command must not be called. use os/exec.CommandContext (noctx)"
MISSING = "TypeError: Cache.__init__() missing 1 required positional argument: 'version'"


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (f"[lint] $ x\ncmd/cli/a_test.go:340:21: {NOCTX}\n\tcode", RuleError(NOCTX, "noctx", "a_test.go", True)),
        (
            '  /home/dev/a.py:184:17 - error: Type of "x" is unknown (reportUnknownVariableType)',
            RuleError('Type of "x" is unknown (reportUnknownVariableType)', "reportUnknownVariableType", "a.py", False),
        ),
        (
            "shop/a.py:12: error: Incompatible return value type  [return-value]",
            RuleError("Incompatible return value type [return-value]", "return-value", "a.py", False),
        ),
        (
            "SIM115 Use a context manager for opening files\n --> a.py:1:2",
            RuleError("SIM115 Use a context manager for opening files", "SIM115", "", True),
        ),
        (
            "src/a.ts(3,7): error TS2345: Argument of type 'a' is not assignable",
            RuleError("TS2345: Argument of type 'a' is not assignable", "TS2345", "a.ts", False),
        ),
        (
            "  12:5  error  Unexpected await inside a loop  no-await-in-loop",
            RuleError("Unexpected await inside a loop no-await-in-loop", "no-await-in-loop", "", True),
        ),
        ("error[E0308]: mismatched types here", RuleError("mismatched types here", "E0308", "", False)),
        (f"E       {MISSING}", RuleError(MISSING, MISSING, "", False)),
    ],
    ids=["golangci-lint", "pyright", "mypy", "ruff", "TypeScript", "ESLint", "rustc", "wrong call"],
)
def test_line_with_the_name_of_a_rule_is_an_error(output: str, error: RuleError) -> None:
    assert rule_errors(output) == [error]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "a.py:1:1: E501 Line too long (130 > 120)",
        "a.py:1:1: F401 `os` imported but unused",
        "a.go:90-109:1: 90-109 lines are duplicate of `b.go:1-20` (dupl)",
        "AssertionError: assert 3 == 4",
        "[CI/test] | something went wrong in a job (timeout)",
        "2 errors, 0 warnings",
    ],
)
def test_layout_assertions_and_tallies_state_no_rule(output: str) -> None:
    assert rule_errors(output) == []


def test_errors_are_one_for_each_rule_and_bounded() -> None:
    lines = [f"a.go:{number}:1: rule {number % 7} is broken here (rule{'abcdefg'[number % 7]})" for number in range(30)]

    assert [error.rule for error in rule_errors("\n".join(lines))] == ["rulea", "ruleb", "rulec", "ruled"]


def test_long_lines_of_an_output_are_read_in_time() -> None:
    assert rule_errors("(a " * 100_000 + "\n" + "a.b/" * 90) == []


def test_names_of_code_are_those_that_are_no_words() -> None:
    assert code_names(NOCTX) == ["exec.Command", "exec.CommandContext"]
    assert code_names(MISSING) == ["TypeError", "Cache.__init__"]
    assert code_names("CacheManager.__init__() of text_value") == [
        "CacheManager.__init__",
        "text_value",
        "CacheManager",
    ]
