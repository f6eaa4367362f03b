"""What the text of a shell command and its output show."""

from __future__ import annotations

import pytest

from capture.local.extraction import commands
from memoryserver.common.redaction import redact

TOKEN = "ghp_" + "a1B2" * 9


def clean(text: str) -> str:
    return redact(text).text


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("pytest -q", "pytest"),
        ("cd a && uv run pytest tests", "pytest"),
        ("make lint | tail -3", "make lint"),
        ("python3 scripts/load.py --all", "load.py"),
        ("git push origin main", "git push"),
        ("-x", ""),
        ("", ""),
    ],
)
def test_program_is_the_first_of_the_last_pipeline(command: str, program: str) -> None:
    assert commands.program_of(command) == program


@pytest.mark.parametrize(
    ("command", "nothing"),
    [("ls -l", True), ("sleep 3", True), ("", True), ("make lint", False), ("pytest -q", False)],
)
def test_command_that_only_looks_or_waits_teaches_nothing(command: str, nothing: bool) -> None:
    assert commands.teaches_nothing(command) is nothing


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("pytest a/test_x.py", "pytest /home/dev/shop/a/test_x.py", True),
        ("pytest a/test_x.py", "pytest a/test_y.py", False),
        ("pytest a", "pytest a -x", False),
        ("cd a && npm install | tail -3", "cd b && npm install | tail -5", True),
        ("pytest", "(source .venv/bin/activate && pytest)", False),
    ],
)
def test_commands_that_differ_only_in_folders_are_the_same(first: str, second: str, same: bool) -> None:
    assert commands.differ_only_in_folders(first, second) is same


@pytest.mark.parametrize(
    ("command", "failed", "variant"),
    [
        ("uv run pytest -q", "pytest -q", True),
        ("npm run test", "pytest", True),
        ("make install", "make", False),
        ("cargo build", "npm run build", False),
    ],
)
def test_variant_has_every_word_or_runs_tests_too(command: str, failed: str, variant: bool) -> None:
    assert commands.is_variant(command, failed) is variant


@pytest.mark.parametrize(
    ("error", "misuse"),
    [
        ("bash: uv: Command not found", True),
        ("ModuleNotFoundError: No module named 'shop'", True),
        ("psql: could not connect to server: Connection refused", True),
        ("collected 205 items / 205 deselected / 0 selected", True),
        ("collected 228 items / 208 deselected / 20 selected", False),
        ("AssertionError: 3 != 4", False),
        ("the address is wrong", False),
        ("", False),
    ],
)
def test_misuse_is_an_error_of_the_command_or_its_environment(error: str, misuse: bool) -> None:
    assert commands.is_misuse(error) is misuse


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("Exit code 1\nbash: uv: command not found\nbye", "bash: uv: command not found"),
        ("error: first\n=====\nE   TypeError: unsupported\n1 failed", "TypeError: unsupported"),
        ("Error: one\nError: two\nFAILED x", "Error: two"),
        ("12 passed", ""),
        ("", ""),
    ],
    ids=["misuse", "pytest's error", "last error that is no tally", "no error", "empty"],
)
def test_error_line_says_what_went_wrong(output: str, line: str) -> None:
    assert commands.error_line(output, clean) == line


def test_error_line_has_no_secret_and_is_bounded() -> None:
    line = commands.error_line(f"curl: connection refused {TOKEN} " + "x" * 500, clean)

    assert line.startswith("curl: connection refused [redacted:github-token] x")
    assert len(line) <= commands.LONGEST_ERROR


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("uv run pytest tests/a.py -q", "uv run pytest"),
        ("python -m pytest a.py", "python -m pytest"),
        ("npm run test:unit -- a", "npm run test:unit"),
        ("make test ARGS=x", "make test"),
        ("make lint", ""),
    ],
)
def test_runner_is_the_command_without_what_is_tested(command: str, runner: str) -> None:
    assert commands.test_runner(command) == runner


@pytest.mark.parametrize(
    ("command", "output", "masked"),
    [
        ("just test | tail -3", "sh: vitest: command not found\nerror: Recipe failed", True),
        ("npm install | tail -5", "Consider adding one of the following versions in your config file at x", True),
        ("./run | tail", "sh: 1: jq: not found", True),
        ("just test", "sh: vitest: command not found", False),
        ("just test || true", "sh: vitest: command not found", False),
        ("cat log | tail -3", "page: item not found in list", False),
        ("just test | tail -3", "3 passed", False),
    ],
)
def test_failure_is_masked_where_a_pipe_hides_that_a_program_did_not_start(
    command: str, output: str, masked: bool
) -> None:
    assert commands.is_masked_failure(command, output) is masked


@pytest.mark.parametrize(
    ("error", "program"),
    [
        ("sh: vitest: command not found", "vitest"),
        ("/bin/bash: line 1: pytest: command not found", "pytest"),
        ("zsh:1: command not found: pytest", "pytest"),
        ("No version is set for command npm", ""),
        ("AssertionError", ""),
    ],
)
def test_missing_program_is_the_one_that_was_not_found(error: str, program: str) -> None:
    assert commands.missing_program(error) == program


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ("cat a(b)", "cat 'a(b)'", True),
        ("cat a(b)", "cat a\\(b\\)", True),
        ("cat a", "cat a", False),
        ("cat a", "cat 'b'", False),
    ],
)
def test_commands_that_differ_only_in_quotes(first: str, second: str, differ: bool) -> None:
    assert commands.differ_only_in_quotes(first, second) is differ


def test_shell_that_misread_a_path_says_so() -> None:
    assert commands.is_unquoted("zsh:1: no matches found: a(b)")
    assert commands.is_unquoted("bash: -c: line 0: syntax error near unexpected token `('")
    assert not commands.is_unquoted("SyntaxError: invalid syntax")


@pytest.mark.parametrize(
    ("command", "single"),
    [("pytest tests/test_a.py", True), ("pytest -k cart", True), ("pytest", False), ("ls a.py", False)],
)
def test_tests_of_one_file_are_told_from_all(command: str, single: bool) -> None:
    assert commands.tests_one_file(command) is single


@pytest.mark.parametrize(("command", "nothing"), [("ls", True), ("sleep 3", True), ("asdf set x && node -v", False)])
def test_command_that_looks_or_waits_changes_nothing(command: str, nothing: bool) -> None:
    assert commands.changes_nothing(command) is nothing


@pytest.mark.parametrize(
    ("command", "failed", "adds"),
    [
        ("sudo ./host a.bin", "./host a.bin", True),
        ("cd x && sudo ./host a.bin", "./host a.bin 2>&1 | tail -3", True),
        ("CI=1 TZ=UTC npm test", "npm test", True),
        ("uv run pytest", "pytest", True),
        ("timeout 60 pytest", "pytest", False),
        ("npm test", "npm test", False),
        ("sudo ./host", "./host a.bin", False),
        ("echo pytest", "pytest", False),
        ("", "", False),
    ],
)
def test_prefix_changes_how_the_same_command_runs(command: str, failed: str, adds: bool) -> None:
    assert commands.only_adds_a_prefix(command, failed) is adds
