"""What is learned from commands: those that work after others failed, fixes, and checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.extraction.extractor import IncrementalExtractor
from tests.capture.local.extraction.test_extractor import learned, messages
from tests.support.agents.claude_transcripts import STOP, Transcript


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "session.jsonl")


def test_another_form_of_a_command_that_works_is_a_command(transcript: Transcript):
    transcript.ran("c1", "pytest -q", "Exit code 1\nModuleNotFoundError: No module named 'shop'", error=True)
    transcript.ran("c2", "ls", "shop tests")
    transcript.ran("c3", "uv run pytest -q", "12 passed in 0.4s")
    assert learned(transcript) == [
        ("command", "`pytest -q` failed with “ModuleNotFoundError: No module named 'shop'”; `uv run pytest -q` worked.")
    ]


def test_what_was_added_to_a_test_command_of_one_file_is_learned(transcript: Transcript):
    error = "Exit code 1\nModuleNotFoundError: No module named 'shop'"
    transcript.ran("c1", "python -m pytest tests/test_drain.py", error, error=True)
    transcript.ran("c2", "PYTHONPATH=src python -m pytest tests/test_drain.py", "3 passed in 0.12s")
    assert learned(transcript) == [
        (
            "command",
            (
                "`python -m pytest tests/test_drain.py` failed with “ModuleNotFoundError: No module named 'shop'”;"
                " `PYTHONPATH=src python -m pytest tests/test_drain.py` worked."
            ),
        )
    ]


def test_command_that_made_another_work_is_an_error_recovery(transcript: Transcript):
    transcript.ran("c1", "make migrate", "psql: could not connect to server: Connection refused", error=True)
    transcript.ran("c2", "docker compose up -d db", "started")
    transcript.ran("c3", "make migrate", "OK")
    assert learned(transcript) == [
        (
            "error_recovery",
            (
                "`make migrate` failed with “psql: could not connect to server: Connection refused”;"
                " it worked after `docker compose up -d db`."
            ),
        )
    ]


def test_an_edit_that_fixed_a_failure_is_an_error_recovery_if_its_cause_was_named(transcript: Transcript):
    transcript.ran("c1", "pytest -q", "E   TypeError: unsupported operand\n1 failed", error=True)
    transcript.agent("`Store()` expects a Path here, not a str. Let me fix this:")
    transcript.use("c2", "Edit", {"file_path": "/nowhere/shop/store.py"})
    transcript.result("c2", "ok")
    transcript.ran("c3", "pytest -q", "3 passed")
    assert learned(transcript) == [
        (
            "error_recovery",
            (
                "`pytest -q` failed with “TypeError: unsupported operand”. `Store()` expects a Path here, not a str."
                " It passed after a change to `store.py`."
            ),
        )
    ]


def test_linters_rule_that_an_edit_fixed_is_a_gotcha(transcript: Transcript):
    transcript.ran("c1", "just lint-go", "a.go:1:2: os/exec.Command must not be called (noctx)", error=True)
    edit = {
        "file_path": "/nowhere/shop/a.go",
        "old_string": "c := exec.Command(x)",
        "new_string": "c := run.Command(x)",
    }
    transcript.use("e1", "Edit", edit)
    transcript.result("e1", "ok")
    transcript.ran("c2", "just lint-go", "0 issues")
    assert learned(transcript)[0] == (
        "gotcha",
        (
            "`just lint-go` failed with “os/exec.Command must not be called (noctx)”;"
            " fixed with `c := run.Command(x)` in `a.go`."
        ),
    )


def test_check_that_is_run_again_is_learned_once_where_it_was_called_first(transcript: Transcript):
    for number in range(3):
        transcript.ran(f"c{number}", "mise run test -- ./a 2>&1 | tail -3", "2 passed in 0.1s")
    (learning,) = IncrementalExtractor().extract(messages(transcript))
    assert (learning.type, learning.content) == ("test", "The project's tests run with `mise run test`.")
    assert learning.source_message_index == 1


def test_check_that_a_person_ran_is_learned_when_it_passes(transcript: Transcript):
    transcript.person('<bash-input>uv run pytest -m "not slow"</bash-input>')
    transcript.ran("c1", 'uv run pytest -m "not slow" -q', "2 passed in 0.1s")
    assert learned(transcript) == [("test", 'The project\'s tests run with `uv run pytest -m "not slow"`.')]


@pytest.mark.parametrize(
    ("first", "error", "second"),
    [
        (
            "pytest a/test_x.py",
            "ERROR: no tests ran",
            "pytest /nowhere/shop/a/test_x.py",
        ),  # the same, seen from elsewhere
        ("pytest", "1 failed", "pytest -x"),  # the code was wrong, not the command
        ("ls x", "ls: cannot access 'x': No such file or directory", "ls y"),
        ("make", "make: command not found", "cmake ."),
        ("npm run dev", "Error: EADDRINUSE", "npm run dev"),
    ],
)
def test_commands_that_yield_no_learning(transcript: Transcript, first: str, error: str, second: str):
    transcript.ran("c1", first, error, error=True)
    transcript.ran("c2", second, "fine")
    assert learned(transcript) == []


def test_a_rejected_or_denied_command_has_not_failed(transcript: Transcript):
    transcript.ran("c1", "pytest -q", STOP, error=True)
    transcript.ran("c2", "pytest -q", "This command requires approval", error=True)
    transcript.ran("c3", "uv run pytest -q", "fine")
    assert learned(transcript) == []
