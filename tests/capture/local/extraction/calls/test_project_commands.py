"""When the way in which a project is checked is known, over one reading or several."""

from __future__ import annotations

import json

import pytest

from capture.local.extraction.calls.project_commands import ProjectCommands
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult
from capture.local.transcripts.tools import use_of
from memoryserver.common.redaction import redact

TOKEN = "ghp_" + "a1B2" * 9


def clean(text: str) -> str:
    return redact(text).text


class Session:
    """Calls one command after another; `reread` is the next reading of the transcript."""

    def __init__(self) -> None:
        self.index = 0
        self.commands = ProjectCommands({})

    def said(self, text: str) -> None:
        self.commands.record_text(self._message(Role.PERSON), text, clean)

    def ran(self, command: str, outcome: Outcome = Outcome.OK, cwd: str = "") -> Learning | None:
        use = use_of("c", "Bash", {"command": command}, cwd)
        call = self._message(Role.AGENT, cwd)
        call.uses = (use,)
        self.commands.record_uses(call)
        return self.commands.record_result(self._message(Role.TOOL, cwd), ToolResult(use, outcome, ""), clean)

    def contents(self, *commands: str) -> list[str]:
        learnings = [self.ran(command) for command in commands]
        return [learning.content for learning in learnings if learning is not None]

    def reread(self) -> None:
        self.commands = ProjectCommands(json.loads(json.dumps(self.commands.memory())))

    def _message(self, role: Role, cwd: str = "") -> Message:
        self.index += 1
        return Message(self.index, role, Kind.OTHER, uuid=f"u-{self.index}", cwd=cwd)


@pytest.mark.parametrize("reread", [False, True], ids=["one reading", "two readings"])
def test_projects_own_check_is_learned_when_it_passes_the_second_time_or_later(reread: bool) -> None:
    session = Session()
    assert session.ran("just test-all -q") is None
    if reread:
        session.reread()

    assert session.ran("just test-all", Outcome.FAILED) is None
    assert session.ran("just test-all") == Learning(
        type="test",
        content="The project's tests run with `just test-all`.",
        confidence=0.5,
        source_message_index=1,
        source_message_uuid="u-1",
        reasons=("a check that is run again and again, and that passed", "seen in the output of commands"),
        tools=("Bash",),
        source="observed",
    )
    assert session.ran("just test-all") is None


def test_check_that_anybody_would_try_is_not_learned_however_often_it_runs() -> None:
    assert Session().contents(*["cargo test", "pytest -q", "npm run lint"] * 3) == []


def test_check_that_a_person_gave_is_learned_at_its_first_success() -> None:
    session = Session()
    session.said("Before each commit:\n```\n$ uv run ty check\n```\nand `cargo test`.")

    assert session.contents("uv run ty check", "cargo test", "cargo clippy") == [
        "The project's type checker runs with `uv run ty check`.",
        "The project's tests run with `cargo test`.",
    ]


def test_row_of_three_checks_is_learned_at_once_and_its_parts_no_longer() -> None:
    whole = "mise run fmt && mise run lint && mise run test:ci"

    assert Session().contents(whole, *["mise run lint"] * 3, *["mise run build"] * 2) == [
        f"The project's formatter, linter and tests run with `{whole}`.",
        "The project's build runs with `mise run build`.",
    ]


@pytest.mark.parametrize("command", ["just check", "make fast-ci", "mise run pre-commit", "./scripts/verify.sh"])
def test_task_that_checks_the_whole_project_is_learned_at_once(command: str) -> None:
    assert Session().contents(command, command) == [f"The project's checks run with `{command}`."]


@pytest.mark.parametrize("command", ["make check", "cargo check", "npm run check"])
def test_check_of_a_usual_name_is_not_learned_though_it_checks_the_whole_project(command: str) -> None:
    assert Session().contents(*[command] * 3) == []


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("uv run pytest -m browser", "browser tests"),
        ("pytest -m 'slow'", "slow tests"),
        ('pytest -m "not slow"', "tests"),
        ("CI=1 python -m pytest", "tests"),
        ("go test -tags=integration ./...", "integration tests"),
        ("npx vitest --project=unit", "unit tests"),
        ("mise run test:integration", "integration tests"),
        ("mise run test:ci", "tests"),
        ("just test-all", "tests"),
        ("npm run test:unit && npm run test:e2e", "tests"),
    ],
)
def test_selection_of_tests_is_called_by_its_name(command: str, tests: str) -> None:
    assert Session().contents(command, command) == [f"The project's {tests} run with `{command}`."]


def test_row_of_checks_that_are_all_known_is_not_learned_again() -> None:
    assert Session().contents(*["just lint", "just test"] * 2, *["just lint && just test"] * 3) == [
        "The project's linter runs with `just lint`.",
        "The project's tests run with `just test`.",
    ]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.REJECTED, Outcome.NOT_RUN])
def test_check_that_never_passed_is_not_learned(outcome: Outcome) -> None:
    session = Session()

    assert [session.ran("just test-all", outcome) for _ in range(3)] == [None] * 3


def test_paths_are_seen_from_the_folder_in_which_the_command_ran() -> None:
    session = Session()
    learnings = [session.ran("/home/dev/shop/scripts/test.sh", cwd="/home/dev/shop") for _ in range(2)]

    assert [learning.content if learning else "" for learning in learnings] == [
        "",
        "The project's tests run with `scripts/test.sh`.",
    ]


def test_memory_has_no_secret_and_is_bounded() -> None:
    session = Session()
    session.said(f"`TOKEN={TOKEN} just test-all`")
    session.said("<private>`just test-home`</private>")
    session.contents(*(f"TOKEN={TOKEN} just test-{number}" for number in range(50)))

    memory = session.commands.memory()
    assert len(memory) == 30
    assert TOKEN not in json.dumps(memory)
    assert "test-home" not in json.dumps(memory)
