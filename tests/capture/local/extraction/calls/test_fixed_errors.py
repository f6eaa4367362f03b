"""An error that states a rule, an edit, and the same check without it, over one reading or several."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture.local.extraction.calls.fixed_errors import FixedErrors
from capture.local.extraction.learning import Learning
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult, ToolUse
from capture.local.transcripts.tools import use_of
from memoryserver.common.redaction import redact

TOKEN = "ghp_" + "a1B2" * 9
NOCTX = "cmd/a.go:3:2: os/exec.Command must not be called. use os/exec.CommandContext (noctx)"
UNKNOWN = '/src/a.py:1:2 - error: Type of "text" is unknown (reportUnknownVariableType)'
WRONG_CALL = "E   TypeError: Cache.open() missing 1 required positional argument: 'version'"
OLD, NEW = "cmd := exec.Command(name)", "cmd := exec.CommandContext(ctx, name)"


def clean(text: str) -> str:
    return redact(text).text


class Session:
    """Runs checks and edits one after another; `reread` is the next reading of the transcript."""

    def __init__(self) -> None:
        self.index = 0
        self.errors = FixedErrors({})

    def ran(self, command: str, output: str = "", outcome: Outcome | None = None) -> Learning | None:
        outcome = outcome or (Outcome.FAILED if output else Outcome.OK)
        return self._call(use_of("c", "Bash", {"command": command}, ""), outcome, output)

    def edited(self, name: str, old: str = OLD, new: str = NEW, outcome: Outcome = Outcome.OK) -> None:
        given = {"file_path": name, "old_string": old, "new_string": new}
        self._call(use_of("e", "Edit", given, ""), outcome, "")

    def reread(self) -> None:
        self.errors = FixedErrors(json.loads(json.dumps(self.errors.memory())))

    def _call(self, use: ToolUse, outcome: Outcome, output: str) -> Learning | None:
        self.index += 2
        call = Message(self.index - 1, Role.AGENT, Kind.TOOL_USE, uses=(use,))
        self.errors.record_uses(call, clean)
        result = Message(self.index, Role.TOOL, Kind.TOOL_RESULT, uuid=f"u-{self.index}")
        return self.errors.record_result(result, ToolResult(use, outcome, output), clean)


def content(learning: Learning | None) -> str:
    return learning.content if learning else ""


@pytest.mark.parametrize("reread", [False, True], ids=["one reading", "several readings"])
def test_rule_of_a_linter_is_a_gotcha_once_the_check_passes_after_an_edit_of_the_file(reread: bool) -> None:
    session = Session()
    assert session.ran("mise run fmt && mise run lint 2>&1", NOCTX) is None
    for name in ("cmd/a.go", "cmd/b.go"):
        session.edited(name)
        if reread:
            session.reread()

    assert session.ran("mise run lint | tail -3") == Learning(
        type="gotcha",
        content=(
            "`mise run lint` failed with “os/exec.Command must not be called. use os/exec.CommandContext (noctx)”;"
            " fixed with `cmd := exec.CommandContext(ctx, name)` in `a.go`."
        ),
        confidence=0.6,
        source_message_index=8,
        source_message_uuid="u-8",
        reasons=("an error with a rule, gone after an edit", "seen in the output of commands"),
        files=("a.go",),
        tools=("Bash",),
        source="observed",
    )
    assert session.ran("mise run lint") is None


def test_rule_stays_open_while_the_check_fails_or_another_one_passes() -> None:
    session = Session()
    session.ran("npm run lint", NOCTX)
    session.edited("cmd/a.go")

    assert session.ran("npm run build") is None
    assert session.ran("npm run lint", NOCTX) is None
    assert session.ran("npm run lint", "something else failed") is None
    assert content(session.ran("npm run lint")) != ""


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("cmd/b.go", Outcome.OK), ("cmd/a.go", Outcome.FAILED), ("cmd/a.go", Outcome.REJECTED)],
    ids=["another file", "failed edit", "rejected edit"],
)
def test_error_that_goes_away_without_an_edit_of_its_file_teaches_nothing(name: str, outcome: Outcome) -> None:
    session = Session()
    session.ran("just lint", NOCTX)
    session.edited(name, outcome=outcome)

    assert session.ran("just lint") is None


@pytest.mark.parametrize(("failures", "learned"), [(1, False), (2, True)])
def test_error_about_types_is_a_lesson_if_it_took_more_than_one_try(failures: int, learned: bool) -> None:
    session = Session()
    for number in range(failures):
        session.ran("uv run pyright", UNKNOWN)
        session.edited("a.py", f"text = given[{number}]", f"text = cast(str, given[{number}])")

    assert (session.ran("uv run pyright") is not None) is learned


def test_wrong_call_is_a_lesson_once_the_check_fails_with_something_else() -> None:
    session = Session()
    session.ran("pytest tests/test_a.py -v", WRONG_CALL)
    session.edited("tests/test_a.py", "cache = Cache.open(path)", 'cache = Cache.open(path, "1.0")')

    assert content(session.ran("pytest tests/test_a.py -v", "E  AssertionError")) == (
        "`pytest` failed with “TypeError: Cache.open() missing 1 required positional argument: 'version'”;"
        ' fixed with `cache = Cache.open(path, "1.0")` in `test_a.py`.'
    )


def test_edit_that_only_silences_the_error_is_no_lesson() -> None:
    session = Session()
    session.ran("just lint", NOCTX)
    session.edited("cmd/a.go", OLD, f"{OLD} //nolint:noctx")

    assert session.ran("just lint") is None


def test_memory_has_no_secret_is_bounded_and_forgets() -> None:
    session = Session()
    for number in range(9):
        session.ran(f"just lint-{'abcdefghi'[number]}", NOCTX.replace("noctx", f"rule{'abcdefghi'[number]}") + TOKEN)
        session.ran(f"just lint-{'abcdefghi'[number]}", NOCTX.replace("noctx", f"rule{'abcdefghi'[number]}"))
    session.edited("cmd/a.go", OLD, f'cmd := exec.CommandContext(ctx, name, "{TOKEN}")')
    session.edited("cmd/a.go", OLD, "<private>cmd := exec.CommandContext(ctx, home)</private>")
    memory: dict[str, Any] = session.errors.memory()

    assert len(memory["open"]) == 6
    assert TOKEN not in json.dumps(memory)
    assert "home" not in json.dumps(memory)
    session.index += 100
    session.ran("just lint-x", NOCTX)
    assert len(session.errors.memory()["open"]) == 1
