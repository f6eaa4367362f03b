"""How a command runs the checks of a project, as it can be typed again."""

from __future__ import annotations

import pytest

from capture.local.extraction.check_commands import CheckForm, form_of, may_check

TESTS = ("tests",)


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("mise run test -- ./redact/... 2>&1 | tail -5", CheckForm("mise run test", TESTS, True, False)),
        ("cd a && pytest -q", CheckForm("pytest", TESTS, False, False)),
        ("cargo test 2>&1", CheckForm("cargo test", TESTS, False, False)),
        ("npm run test", CheckForm("npm run test", TESTS, False, False)),
        ("npm run test:unit", CheckForm("npm run test:unit", TESTS, True, False)),
        ("uv run pytest -m browser -v --tb=short", CheckForm("uv run pytest -m browser", TESTS, True, False)),
        ("uv run pyright", CheckForm("uv run pyright", ("types",), False, False)),
        ("pytest --cov=shop", CheckForm("pytest --cov=shop", ("coverage",), True, False)),
        ("GOOS=windows go build ./a > out.txt", CheckForm("GOOS=windows go build ./a", ("build",), True, False)),
        ("make fast-ci", CheckForm("make fast-ci", ("checks",), True, False)),
        ("ruff check . && ty check", CheckForm("ruff check . && ty check", ("lint", "types"), False, True)),
        ("golangci-lint run ./a/...", CheckForm("golangci-lint run ./a/...", ("lint",), False, False)),
        ("./scripts/verify.sh", CheckForm("./scripts/verify.sh", ("checks",), True, False)),
        (
            "(source .venv/bin/activate && pytest -x)",
            CheckForm("source .venv/bin/activate && pytest", TESTS, True, False),
        ),
        (
            "mise run fmt && mise run lint && \\\nmise run test:ci",
            CheckForm("mise run fmt && mise run lint && mise run test:ci", ("format", "lint", "tests"), True, True),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_form_is_the_command_without_output_options_and_arguments_of_a_task(command: str, form: CheckForm) -> None:
    assert form_of(command) == form
    assert may_check(command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_a.py",
        "pytest tests/test_a.py::test_b -q",
        "pytest -k cart",
        "go test ./a -run TestCart -v",
        "npx vitest -t cart",
        "pytest --lf",
    ],
)
def test_check_of_one_test_or_file_has_no_form(command: str) -> None:
    assert form_of(command) is None


@pytest.mark.parametrize(
    "command",
    ["", "ls tests", "git commit -m 'fix test'", "pytest && git push", "pytest || true", "echo test", "make deploy"],
)
def test_command_that_does_anything_else_has_no_form(command: str) -> None:
    assert form_of(command) is None


def test_very_long_row_has_no_form() -> None:
    assert form_of(" && ".join(f"GOOS=os{number} go build ./cmd/a/long/path" for number in range(6))) is None
