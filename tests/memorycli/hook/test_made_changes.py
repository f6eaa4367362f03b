"""Which calls change something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorycli.hook.made_changes import MORE, NOTHING, TESTS, of_call
from trajectory.local.calls import parse

CHECK = "./run-all.sh --fast"


def made(check: str = CHECK, **report: Any) -> str:
    return of_call(parse.read(report), check, Path("/p"))


def ran(command: str, **report: Any) -> str:
    return made(tool_name="Bash", tool_input={"command": command}, **report)


@pytest.mark.parametrize(
    "command",
    [
        *("sed -i s/a/b/ x", "make", "npm run migrate", "pip install x", "python manage.py migrate", "./deploy.sh"),
        *("echo x > a.txt", "> a", "cat <<EOF > a\nx\nEOF", "curl -XPOST http://x", "git commit -am x", "git stash"),
        *("python3 - <<'EOF'\nopen('a', 'w').write('x')\nEOF", "ruff check --fix .", "pytest -q && sed -i s/a/b/ x"),
        *("./run-all.sh --fast && rm -r build", "bash -c 'rm x'", "docker compose up -d"),
    ],
)
def test_command_that_may_change_something_is_a_change(command: str) -> None:
    assert ran(command) == MORE


@pytest.mark.parametrize(
    "command",
    [
        *("", "ls", "git status", "sed -n 1p x", "pytest tests/a.py", "make test", "make lint", "npm test", "pip list"),
        *("python -c 'print(1)'", "curl http://x", "sleep 3", CHECK, f"cd x && {CHECK}", "ruff check .", "cd a"),
        *("black --check .", "pytest -q | tee out.txt", "pytest -q > out.txt", "memory ghap start --goal x"),
    ],
)
def test_command_that_looks_waits_or_tests_is_none(command: str) -> None:
    assert ran(command) == NOTHING


def test_command_that_failed_may_have_changed_something_and_one_that_was_refused_has_not() -> None:
    assert ran("./deploy.sh", success=False, error="Exit code 1") == MORE
    assert ran("./deploy.sh", outcome="cancelled", error="stopped") == NOTHING


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Edit", {"file_path": "/p/src/a.py"}, MORE),
        ("mcp__files__write_file", {"path": "/p/src/a.py"}, MORE),
        ("Write", {"file_path": "/p/tests/test_a.py"}, TESTS),
        ("apply_patch", "*** Update File: tests/test_a.py\n*** Update File: a.py\n", MORE),
        ("apply_patch", "*** Update File: tests/test_a.py\n", TESTS),
        ("Read", {"file_path": "/p/src/a.py"}, NOTHING),
        ("mcp__memoryserver__start_ghap", {"goal": "x"}, NOTHING),
    ],
)
def test_edit_is_a_change_of_tests_or_of_more(tool: str, arguments: object, expected: str) -> None:
    assert made(tool_name=tool, tool_input=arguments) == expected


def test_edit_that_failed_is_none() -> None:
    assert made(tool_name="Edit", tool_input={"file_path": "/p/a.py"}, success=False, error="not found") == NOTHING
