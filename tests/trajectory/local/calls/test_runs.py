"""Which shell commands run tests or a build."""

from __future__ import annotations

import pytest

from trajectory.local.calls.runs import is_test_or_build


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "cd x && .venv/bin/pytest -q | tail",
        "python -m unittest discover",
        "python3.12 -m pytest tests",
        "python manage.py test shop",
        "npm test",
        "pnpm run test:unit",
        "yarn build",
        "npx vitest run",
        "cargo test",
        "go build ./...",
        "make",
        "CI=1 ./gradlew check",
        "dotnet test",
        "uv run pytest",
        "./run_tests.sh --fast",
        "time mvn verify",
        "tsc --noEmit",
    ],
)
def test_program_of_a_test_or_build_is_known(command: str) -> None:
    assert is_test_or_build(command, "")


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
