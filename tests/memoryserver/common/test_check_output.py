"""What went wrong, by the output of a check, and whether the check itself crashed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.common.check_output import MAX_REASON, crash, reason

TESTS = {
    "test_name.py": "def test_a():\n    Decimal(1)\n",
    "test_values.py": "def test_a():\n    assert [1, 2] == [1, 3]\n",
    "test_fixture.py": "def test_a(nothing): pass\n",
    "test_ok.py": "def test_a(): pass\n",
    "cases.py": "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\n"
    "class B(unittest.TestCase):\n    def test_a(self): Decimal(1)\n",
}
NAME = "NameError: name 'Decimal' is not defined"


def printed(tmp_path: Path, *command: str) -> str:
    for name, content in TESTS.items():
        (tmp_path / name).write_text(content)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they take seconds to load
    command = (sys.executable, "-m", *command)
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "said", "crashed"),
    [
        (("pytest", "-q", "test_values.py"), "assert [1, 2] == [1, 3] (1 failed", ""),
        (("pytest", "-q", "test_name.py"), f"{NAME} (1 failed", NAME),
        (("pytest", "--tb=no", "test_name.py"), f"{NAME} (1 failed", NAME),
        (("pytest", "test_name.py", "test_values.py"), f"{NAME} (2 failed", ""),
        (("pytest", "-q", "test_fixture.py"), "fixture 'nothing' not found (1 error", "fixture 'nothing' not found"),
        (("pytest", "-q", "test_ok.py"), "1 passed", ""),
        (("unittest", "cases.A"), "AssertionError: 1 != 2", ""),
        (("unittest", "cases.B"), NAME, NAME),
        (("unittest", "cases"), NAME, ""),
    ],
)
def test_real_output_of_tests_says_what_went_wrong(
    command: tuple[str, ...], said: str, crashed: str, tmp_path: Path
) -> None:
    output = printed(tmp_path, *command, *(["-p", "no:cacheprovider"] if command[0] == "pytest" else []))
    assert reason(output).startswith(said)
    assert crash(" ".join(command), output) == crashed


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("", ""),
        ("\n====\n\n", ""),
        ("compiling\nsrc/a.c:3: error: expected ';'\nmake: *** [a.o] Error 1", "src/a.c:3: error: expected ';'"),
        ("no route to host", "no route to host"),
        ("--- FAIL: TestA (0.00s)\n    a_test.go:7: got 1, want 2\nFAIL", "--- FAIL: TestA (0.00s)"),
        ("x" * 1000, "x" * (MAX_REASON - 1) + "…"),
    ],
)
def test_other_output_is_told_by_the_line_that_names_an_error_else_the_last(output: str, said: str) -> None:
    assert reason(output) == said


@pytest.mark.parametrize(
    ("check", "output", "line"),
    [
        ("npm test", "ReferenceError: foo is not defined\n    at a.js:1", "ReferenceError: foo is not defined"),
        ("npm test", 'npm error Missing script: "test"', 'npm error Missing script: "test"'),
        ("jest", "  ● Test suite failed to run\nTests:       0 total", "● Test suite failed to run"),
        ("jest", "  ● Test suite failed to run\n  ● a › b\nTests: 1 failed, 1 total", ""),
        ("go test ./...", "# a\n./a.go:3: undefined: x\nFAIL\ta [build failed]", "FAIL a [build failed]"),
        (
            "make check",
            "make: *** No rule to make target 'check'.  Stop.",
            "make: *** No rule to make target 'check'. Stop.",
        ),
        (
            "cargo test",
            "error: could not compile `a` due to 1 previous error",
            "error: could not compile `a` due to 1 previous error",
        ),
        ("cargo build", "error: could not compile `a` due to 1 previous error", ""),
        ("mypy .", "a.py:1: error: Cannot find module", ""),
        ("python a.py", "ValueError: 3", ""),
        ("sh a.sh", "3 failed", ""),
    ],
)
def test_check_crashed_where_it_could_not_run(check: str, output: str, line: str) -> None:
    assert crash(check, output) == line
