"""What the text of a failed call tells besides its outcome (which tests/trajectory/local/test_outcome.py covers)."""

from __future__ import annotations

import pytest

from memoryserver.common import outcomes


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", True),
        ("Error: No such tool available: Foo", True),
        ("InputValidationError: file_path is missing", True),
        ("unsupported call: foo", True),
        ("Exit code 1\n<tool_use_error> is what my program prints", False),
        ("x" * outcomes.HEAD + "<tool_use_error>", False),
        ("boom", False),
        ("", False),
    ],
)
def test_a_call_that_never_ran_says_so_at_its_start(error: str, expected: bool):
    assert outcomes.never_ran(error) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pgrep -f vite", outcomes.NO_MATCH),
        ("command -v yarn", outcomes.NO_MATCH),
        ("which yarn", outcomes.NO_MATCH),
        ("pip show flask -q", outcomes.NO_MATCH),
        ("python -m pip show flask", outcomes.NO_MATCH),
        ("git show-ref --verify refs/heads/x", outcomes.NO_MATCH),
        ("command yarn", outcomes.ERROR),
        ("pip install flask", outcomes.ERROR),
        ("git push", outcomes.ERROR),
        ("pgrep -f vite && make", outcomes.ERROR),
    ],
)
def test_program_that_is_asked_answers_no_by_its_exit_status(command: str, expected: str):
    assert outcomes.classify("Exit code 1", command=command) == expected
    assert outcomes.classify("Exit code 2", command=command) == outcomes.ERROR


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("The tool use was rejected. To tell you how to proceed, the user said:\nuse pnpm", "use pnpm"),
        ("The user provided the following reason for the rejection:  use pnpm\n\nNote: the next one may", "use pnpm"),
        ("the user said:\n  two\nlines \n\nIMPORTANT: x", "two\nlines"),
        ("The tool use was rejected.", ""),
        ("the user said:", ""),
    ],
)
def test_what_a_person_said_when_they_rejected_a_call_is_told_alone(error: str, said: str):
    assert outcomes.rejection_reason(error) == said


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("exec command rejected by user", outcomes.REJECTION),
        ("aborted by user after 3.1s", outcomes.CANCELLED),
        ("[Operation Cancelled] Reason: User cancelled the operation.", outcomes.CANCELLED),
        ("Tool execution denied by policy.", outcomes.DENIAL),
        ("Exit code 1\nrejected by user", outcomes.ERROR),
    ],
)
def test_what_other_agents_say_gets_its_class(error: str, expected: str):
    assert outcomes.classify(error) == expected
