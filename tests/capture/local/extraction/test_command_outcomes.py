"""Learnings from commands that failed and then worked, over one reading or several."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture.local.extraction.command_outcomes import Attempts
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult, ToolUse

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'shop'"
CAUSE = "`Store()` expects a Path here, not a str."


class Session:
    """Records the results of one command after another; `reread` is the next reading of the transcript."""

    def __init__(self) -> None:
        self.index = 0
        self.attempts = Attempts({})

    def ran(self, command: str, text: str = "", outcome: Outcome = Outcome.OK, cwd: str = "") -> Learning | None:
        return self.result(ToolUse("c", "Bash", command), text, outcome, cwd)

    def failed(self, command: str, text: str) -> Learning | None:
        return self.ran(command, text, Outcome.FAILED)

    def edited(self, name: str) -> Learning | None:
        return self.result(ToolUse("c", "Edit", "", (name,)), "ok", Outcome.OK)

    def result(self, use: ToolUse | None, text: str, outcome: Outcome, cwd: str = "") -> Learning | None:
        self.index += 1
        result = ToolResult(use, outcome, text)
        message = Message(self.index, Role.TOOL, Kind.TOOL_RESULT, uuid=f"u-{self.index}", results=(result,), cwd=cwd)
        return self.attempts.record_result(message, result, str)

    def reread(self) -> None:
        memory: dict[str, Any] = json.loads(json.dumps(self.attempts.memory()))
        self.attempts = Attempts(memory)


def content(learning: Learning | None) -> str:
    return learning.content if learning else ""


@pytest.mark.parametrize("reread", [False, True], ids=["one reading", "two readings"])
def test_other_form_that_works_is_a_command(reread: bool) -> None:
    session = Session()
    assert session.failed("pytest -q", MISSING) is None
    if reread:
        session.reread()

    learning = session.ran("uv run pytest -q", "12 passed in 0.4s")

    assert learning == Learning(
        type="command",
        content="`pytest -q` failed with “ModuleNotFoundError: No module named 'shop'”; `uv run pytest -q` worked.",
        confidence=0.84,
        source_message_index=2,
        source_message_uuid="u-2",
        reasons=("worked after another form had failed", "seen in the output of commands"),
        tools=("Bash",),
        source="observed",
    )


def test_command_that_made_the_same_one_work_is_an_error_recovery() -> None:
    session = Session()
    session.failed("make migrate", "psql: could not connect to server")
    session.ran("docker compose up -d db", "started")

    learning = session.ran("make migrate", "OK")

    assert content(learning) == (
        "`make migrate` failed with “psql: could not connect to server”; it worked after `docker compose up -d db`."
    )


def test_edit_that_made_it_pass_is_an_error_recovery_only_with_the_cause() -> None:
    contents = []
    for cause in (CAUSE, "Let me look at it."):
        session = Session()
        session.failed("pytest -q", "E   TypeError: unsupported operand")
        assert session.attempts.may_name_cause(CAUSE)
        session.attempts.record_cause(cause, [])
        session.edited("store.py")
        contents.append(content(session.ran("pytest -q", "OK")))

    assert contents == [
        f"`pytest -q` failed with “TypeError: unsupported operand”. {CAUSE} It passed after a change to `store.py`.",
        "",
    ]


def test_cause_that_is_a_learning_already_is_not_recorded() -> None:
    session = Session()
    session.failed("pytest -q", "E   TypeError: unsupported operand")
    session.attempts.record_cause(CAUSE, [Learning("gotcha", CAUSE, 0.9, 1)])

    assert [failure["cause"] for failure in session.attempts.memory()["failures"]] == [""]


def test_no_text_names_a_cause_where_nothing_failed() -> None:
    assert not Session().attempts.may_name_cause(CAUSE)


@pytest.mark.parametrize("outcome", [Outcome.REJECTED, Outcome.NOT_RUN])
def test_call_that_was_not_run_has_neither_failed_nor_worked(outcome: Outcome) -> None:
    session = Session()
    session.ran("pytest -q", MISSING, outcome)

    assert session.attempts.memory() == {"failures": []}


def test_result_without_its_call_is_ignored() -> None:
    session = Session()

    assert session.result(None, MISSING, Outcome.FAILED) is None
    assert session.attempts.memory() == {"failures": []}


def test_failure_of_long_ago_is_forgotten_and_the_number_of_failures_is_bounded() -> None:
    session = Session()
    for number in range(9):
        session.failed(f"tool{number} run", MISSING)
    commands = [failure["command"] for failure in session.attempts.memory()["failures"]]
    session.index += 50
    session.ran("uv run tool8 run", "ok")

    assert commands == [f"tool{number} run" for number in range(3, 9)]
    assert session.attempts.memory()["failures"] == []


def test_paths_are_seen_from_the_folder_in_which_the_command_ran() -> None:
    session = Session()
    session.failed("python3 load.py", MISSING)
    learning = session.ran("uv run /home/dev/shop/load.py", "ok", cwd="/home/dev/shop/")

    assert content(learning).endswith("; `uv run load.py` worked.")


@pytest.mark.parametrize("command", ["make a\nmake b", "make " + "x" * 200], ids=["several lines", "very long"])
def test_script_is_not_recorded(command: str) -> None:
    session = Session()
    session.failed(command, MISSING)

    assert session.attempts.memory()["failures"] == []


def test_program_that_was_not_found_and_works_elsewhere_is_a_command_though_a_pipe_hid_the_failure() -> None:
    session = Session()
    session.ran("just test 2>&1 | tail -3", "> vitest run\nsh: vitest: command not found\nerror: Recipe `test` failed")

    assert content(session.ran("cd app/client && npx vitest run", "5 passed")) == (
        "`just test 2>&1 | tail -3` failed with “sh: vitest: command not found”;"
        " `cd app/client && npx vitest run` worked."
    )


def test_same_command_in_another_folder_that_works_after_others_is_an_error_recovery() -> None:
    session = Session()
    session.failed("just fmt 2>&1", "sh: prettier: command not found")
    session.ran("npm install --save-dev prettier", "added")
    session.ran("asdf set nodejs 22 && node --version", "v22")
    session.ran("node --version", "v22")

    assert content(session.ran("cd shop && just fmt", "ok")) == (
        "`just fmt 2>&1` failed with “sh: prettier: command not found”; it worked after"
        " `npm install --save-dev prettier` and `asdf set nodejs 22 && node --version`."
    )


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NOT_RUN])
def test_path_that_the_shell_misread_is_a_command_once_it_is_in_quotes(outcome: Outcome) -> None:
    session = Session()
    session.ran("cat app/(shop)/a.ts", "zsh:1: no matches found: app/(shop)/a.ts", outcome)

    assert session.ran("cat app/main.ts", "import a") is None
    assert content(session.ran("cat 'app/(shop)/a.ts'", "import a")) == (
        "`cat app/(shop)/a.ts` failed with “zsh:1: no matches found: app/(shop)/a.ts”; `cat 'app/(shop)/a.ts'` worked."
    )


def test_form_of_a_single_test_file_is_no_command() -> None:
    session = Session()
    session.failed("pytest -q -m unit", "collected 205 items / 205 deselected / 0 selected")

    assert session.ran("pytest tests/test_a.py", "2 passed") is None


def test_prefix_with_which_a_command_works_is_a_command_whatever_the_error() -> None:
    session = Session()
    session.failed("./flash_host image.bin", "Exit code 1\nERROR: describe_local_image failed: 25")

    assert content(session.ran("cd host && sudo ./flash_host image.bin", "done")) == (
        "`./flash_host image.bin` failed with “ERROR: describe_local_image failed: 25”; "
        "`cd host && sudo ./flash_host image.bin` worked."
    )


@pytest.mark.parametrize("change", ["an edit", "a command"])
def test_prefix_teaches_nothing_where_something_else_was_changed_as_well(change: str) -> None:
    session = Session()
    session.failed("./deploy.sh all", "Exit code 1\nERROR: the image is broken")
    if change == "an edit":
        session.edited("deploy.sh")
    else:
        session.ran("docker build .", "built")

    assert session.ran("CI=1 ./deploy.sh all", "done") is None


def test_program_that_is_older_than_it_must_be_and_works_after_its_upgrade_is_an_error_recovery() -> None:
    session = Session()
    session.failed("golangci-lint run", "the Go version (go1.25) used to build it is lower than the target (1.26)")
    session.ran("go install golangci-lint@latest", "ok")

    assert content(session.ran("golangci-lint run", "0 issues.")) == (
        "`golangci-lint run` failed with “the Go version (go1.25) used to build it is lower than the target (1.26)”; "
        "it worked after `go install golangci-lint@latest`."
    )
