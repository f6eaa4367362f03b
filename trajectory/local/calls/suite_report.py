"""Reads the number of failed tests or builds, and the names of these tests, from what their programs print."""

from __future__ import annotations

import re
from functools import cache

from memoryserver.common import shell_purpose
from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD, _TAIL = 2000, 8000
_MAX_NAMES = 200

_PYTEST = r"^(?:=+ )?(?:\d+ [a-z]+(?:, )?)+ in [\d.:]+ ?s.*$"
_PYTEST_FAILURES = r"(\d+) (?:failed|errors?)\b"
# A text in such a report, and the pattern; each group is a number of failures, those of one match are added up.
_TOTALS = (
    ("FAILED (", r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?"),  # unittest
    ("Tests: ", r"^Tests: +(?:(\d+) failed, )?.*\d+ total"),  # jest
    ("Tests ", r"^ *Tests +(?:(\d+) failed \| )?\d+ passed"),  # vitest
    (" failing", r"^ +(\d+) failing\b"),  # mocha
    ("test result: ", r"^test result: \w+\. \d+ passed; (\d+) failed"),  # cargo
    ("Tests run: ", r"Tests run: \d+, Failures: (\d+), Errors: (\d+)"),  # JUnit
    (" example", r"\d+ examples?, (\d+) failures?"),  # RSpec
    ("- Failed: ", r"^(?:Failed|Passed)! +- Failed: +(\d+), Passed:"),  # .NET
    (" failing test case", r"\bThere (?:are|is) (\d+) failing test cases?"),
    ("Found ", r"^Found (\d+) errors? in \d+ files?\b"),  # mypy, tsc
    ("Found ", r"^Found (\d+) errors?\.$"),  # ruff
    (" generated", r"^(\d+) errors? generated\.?$"),  # clang
    ("could not compile", r"^error: could not compile .* due to (\d+) previous errors?"),  # rustc
)
_GO_FAILURE = ("--- FAIL: ", r"^\s*--- FAIL: (\S+)")
_NAMES = (
    ("::", r"^(?:FAILED|ERROR) (\S+::\S+)"),
    (": ", r"^(?:FAIL|ERROR): (\w+ \([\w.]+\))"),
    _GO_FAILURE,
    ("● ", r"^\s*● (.+ › .+)$"),
    (" ... FAILED", r"^test (\S+) \.\.\. FAILED"),
    (" > ", r"^\s*FAIL\s+(\S+ > .+)$"),
    ("--- ", r"^--- ([\w.$]+::\w+)$"),
    ("[ERROR] ", r"^\[ERROR\] +([\w.$]+(?::\d+)?)"),
)
_HINTS = ("fail", "FAIL", "Fail", "passed", "error", "examples", "Success", "ok ", "OK")
_NO_FAILURES = (
    ("Ran ", r"^Ran \d+ tests? in .*\n+OK\b"),
    ("s", r"^(?:ok|PASS)\s+\S+\s+[\d.]+s"),
    ("(cached)", r"^(?:ok|PASS)\s+\S+\s+\(cached\)"),
    ("no issues found in", r"^Success: no issues found in \d+"),
    ("All checks passed!", r"^All checks passed!$"),
)


def of_output(output: str) -> tuple[int | None, str]:
    """Return the number of failures, None where `output` does not report tests or a build, and a hash of their names.

    The hash is "" where no failure is named. Read are the first 2,000 and the last 8,000 characters.
    """
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    if not any(hint in text for hint in _HINTS):
        return None, ""
    names = sorted({match[1] for hinted in _NAMES for match in _matches(hinted, text)})[:_MAX_NAMES]
    failures = _of_pytest(text)
    if failures is None:
        failures = next(_totals(text), None)
    if failures is None:
        failures = len({match[1] for match in _matches(_GO_FAILURE, text)}) or None
    if failures is None and any(_matches(hinted, text) for hinted in _NO_FAILURES):
        failures = 0
    names_hash = digest("\n".join(names).encode("utf-8", "replace"), 8) if names else ""
    return failures, names_hash if failures else ""


def is_test_or_build(command: str, printed: str) -> bool:
    """Return whether `command` runs tests or a build by its program, or printed a report of some."""
    if shell_purpose.runs_tests_or_build(command):
        return True
    return not shell_purpose.only_looks(command) and of_output(printed)[0] is not None


def _of_pytest(text: str) -> int | None:
    """Return what the last line of a run of pytest states, which names what there was and nothing else."""
    lines = _matches((" in ", _PYTEST), text)
    return sum(int(number) for number in _compiled(_PYTEST_FAILURES).findall(lines[-1][0])) if lines else None


def _totals(text: str) -> Iterator[int]:
    for hinted in _TOTALS:
        for match in reversed(_matches(hinted, text)):  # the total is last
            numbers = [int(group) for group in match.groups() if group]
            if numbers:
                yield sum(numbers)


def _matches(hinted: tuple[str, str], text: str) -> list[re.Match[str]]:
    """Return the matches of the pattern in `hinted`, which is compiled only where its first part is in the text."""
    hint, pattern = hinted
    return list(_compiled(pattern).finditer(text)) if hint in text else []


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
