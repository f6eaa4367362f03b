"""How many tests or builds failed, by what was printed."""

from __future__ import annotations

import pytest

from trajectory.local.calls import suite_report
from trajectory.local.calls.suite_report import is_test_or_build


@pytest.mark.parametrize(
    ("output", "failures"),
    [
        ("FAILED tests/a.py::b - x\n==== 3 failed, 5 passed in 0.12s ====", 3),
        ("==== 1 failed, 2 passed, 1 error in 3.10s ====", 2),
        ("==== 9 passed, 1 warning in 0.50s ====", 0),
        ("2 failed, 1 passed in 0.03s", 2),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=2, errors=1)", 3),
        ("Ran 4 tests in 0.001s\n\nOK", 0),
        ("Tests:       2 failed, 3 passed, 5 total", 2),
        ("  3 passing (2s)\n  4 failing", 4),
        ("test result: FAILED. 3 passed; 2 failed; 0 ignored", 2),
        ("--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\texample.org/x\t0.003s", 2),
        ("ok  \texample.org/x\t0.003s", 0),
        ("Tests run: 5, Failures: 1, Errors: 2, Skipped: 0", 3),
        ("5 examples, 2 failures", 2),
        ("Found 3 errors in 2 files (checked 9 source files)", 3),
        ("Success: no issues found in 9 source files", 0),
        ("There are 3 failing test cases, here is the full log", 3),
        ("the build failed for 3 reasons", None),
        ("hello", None),
        ("", None),
    ],
)
def test_failures_are_counted(output: str, failures: int | None) -> None:
    assert suite_report.of_output(output)[0] == failures


def test_names_of_the_failing_tests_are_told_apart_whatever_their_order() -> None:
    def names(*given: str) -> str:
        return suite_report.of_output("\n".join(f"FAILED a.py::{one} - x" for one in given) + "\n= 2 failed in 0.1s =")[
            1
        ]

    assert names("a", "b") == names("b", "a") != names("a", "c")


@pytest.mark.parametrize(
    ("output", "failures"),
    [
        ("Tests  2 failed | 3 passed (5)", 2),
        ("2 errors generated.", 2),
        ("error: could not compile `x` (lib) due to 3 previous errors", 3),
        ("Failed!  - Failed:     3, Passed:     2, Total: 5", 3),
        ("Found 4 errors.", 4),
        ("ok  ex/x (cached)", 0),
        ("All checks passed!", 0),
    ],
)
def test_reports_of_other_runners_are_counted(output: str, failures: int) -> None:
    assert suite_report.of_output(f"...\n{output}\n")[0] == failures


@pytest.mark.parametrize(
    "line",
    [
        "FAILED a.py::{}",
        "ERROR: {} (tests.A)",
        "--- FAIL: {}",
        "  ● suite › {}",
        "test {} ... FAILED",
        " FAIL  src/a.ts > {}",
        "--- a::{}",
        "[ERROR] {}:12",
    ],
)
def test_failing_test_is_named_by_each_runner(line: str) -> None:
    def names(name: str) -> str:
        return suite_report.of_output(f"{line.format(name)}\n1 failed in 0.1s")[1]

    assert names("a") == names("a") != names("b")
    assert names("a") != ""


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("./verify", "3 failed, 2 passed in 0.10s", True),
        ("./verify", "all is well", False),
        ("cat test.log", "3 failed, 2 passed in 0.10s", False),
        ("grep -rn pytest .", "a.py: import pytest", False),
        ("git commit -m 'make test pass'", "", False),
        ("ls tests", "", False),
        ("echo make", "make", False),
        ("npm install", "added 3 packages", False),
        ("", "", False),
    ],
)
def test_other_program_is_known_by_its_report(command: str, printed: str, expected: bool) -> None:
    assert is_test_or_build(command, printed) is expected
