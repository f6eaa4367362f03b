"""How many tests or builds failed, read out of what their programs print, and which tests these were."""

from __future__ import annotations

import re

from memoryserver.common.digest import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD, _TAIL = 2000, 8000
_MAX_NAMES = 200

_LINE = re.MULTILINE
_PYTEST = re.compile(r"^(?:=+ )?(?:\d+ [a-z]+(?:, )?)+ in [\d.:]+ ?s.*$", _LINE)
_PYTEST_FAILURES = re.compile(r"(\d+) (?:failed|errors?)\b")
_TOTALS = (  # each group is a number of failures; those of one match are added up
    re.compile(r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?", _LINE),  # unittest
    re.compile(r"^Tests: +(?:(\d+) failed, )?.*\d+ total", _LINE),  # jest
    re.compile(r"^ *Tests +(?:(\d+) failed \| )?\d+ passed", _LINE),  # vitest
    re.compile(r"^ +(\d+) failing\b", _LINE),  # mocha
    re.compile(r"^test result: \w+\. \d+ passed; (\d+) failed", _LINE),  # cargo
    re.compile(r"Tests run: \d+, Failures: (\d+), Errors: (\d+)"),  # JUnit
    re.compile(r"\d+ examples?, (\d+) failures?"),  # RSpec
    re.compile(r"^(?:Failed|Passed)! +- Failed: +(\d+), Passed:", _LINE),  # .NET
    re.compile(r"\bThere (?:are|is) (\d+) failing test cases?"),
    re.compile(r"^Found (\d+) errors? in \d+ files?\b", _LINE),  # mypy, tsc
    re.compile(r"^Found (\d+) errors?\.$", _LINE),  # ruff
    re.compile(r"^(\d+) errors? generated\.?$", _LINE),  # clang
    re.compile(r"^error: could not compile .* due to (\d+) previous errors?", _LINE),  # rustc
)
_GO_FAILURE = re.compile(r"^\s*--- FAIL: (\S+)", _LINE)
_NAMES = (
    re.compile(r"^(?:FAILED|ERROR) (\S+::\S+)", _LINE),
    re.compile(r"^(?:FAIL|ERROR): (\w+ \([\w.]+\))", _LINE),
    _GO_FAILURE,
    re.compile(r"^\s*● (.+ › .+)$", _LINE),
    re.compile(r"^test (\S+) \.\.\. FAILED", _LINE),
    re.compile(r"^\s*FAIL\s+(\S+ > .+)$", _LINE),
    re.compile(r"^--- ([\w.$]+::\w+)$", _LINE),
    re.compile(r"^\[ERROR\] +([\w.$]+(?::\d+)?)", _LINE),
)
_HINTS = ("fail", "FAIL", "Fail", "passed", "error", "examples", "Success")
_ALL_WELL = (
    re.compile(r"^Ran \d+ tests? in .*\n+OK\b", _LINE),
    re.compile(r"^(?:ok|PASS)\s+\S+\s+(?:[\d.]+s|\(cached\))", _LINE),
    re.compile(r"^Success: no issues found in \d+", _LINE),
    re.compile(r"^All checks passed!$", _LINE),
)


def of_output(output: str) -> tuple[int | None, str]:
    """The number of failures, None where `output` is no report of tests or of a build, and a hash of their names.

    The hash is "" where no failure is named. Read are the first 2,000 and the last 8,000 characters.
    """
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    if not any(hint in text for hint in _HINTS) and "ok " not in text and "OK" not in text:
        return None, ""
    names = sorted({name for pattern in _NAMES for name in pattern.findall(text)})[:_MAX_NAMES]
    failures = _of_pytest(text)
    if failures is None:
        failures = next(_totals(text), None)
    if failures is None and _GO_FAILURE.search(text):
        failures = len(set(_GO_FAILURE.findall(text)))
    if failures is None and any(pattern.search(text) for pattern in _ALL_WELL):
        failures = 0
    named = digest("\n".join(names).encode("utf-8", "replace"), 8) if names else ""
    return failures, named if failures else ""


def _of_pytest(text: str) -> int | None:
    """By the last line of a run of pytest, which names what there was and nothing else."""
    lines = _PYTEST.findall(text)
    return sum(map(int, _PYTEST_FAILURES.findall(lines[-1]))) if lines else None


def _totals(text: str) -> Iterator[int]:
    for pattern in _TOTALS:
        for match in reversed(list(pattern.finditer(text))):  # the sum stands last
            given = [int(group) for group in match.groups() if group]
            if given:
                yield sum(given)
