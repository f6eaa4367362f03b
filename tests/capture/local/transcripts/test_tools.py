"""What tool calls were and how they came out."""

from __future__ import annotations

from typing import Any

import pytest

from capture.local.transcripts.messages import Outcome, ToolUse
from capture.local.transcripts.tools import MOST_RESULT, bounded, notices_in, result_of, use_of

PATCH = "*** Begin Patch\n*** Update File: /w/a.py\n@@\n*** Add File: b.py\n+x\n*** Update File: /w/a.py\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "tool_input", "command", "files"),
    [
        ("Bash", {"command": "make all"}, "make all", ()),
        ("exec_command", {"cmd": "ls"}, "ls", ()),
        ("shell", {"command": ["bash", "-lc", "make all"]}, "make all", ()),
        ("shell", {"command": ["git", "status", "-s", 3]}, "git status -s", ()),
        ("Bash", {}, "", ()),
        ("Bash", {"command": {"x": 1}}, "", ()),
        ("Read", {"file_path": "/w/src/a.py"}, "", ("src/a.py",)),
        ("Read", {"file_path": "/other/a.py"}, "", ("/other/a.py",)),
        ("Read", {"file_path": "/world/a.py"}, "", ("/world/a.py",)),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, "", ("n.ipynb",)),
        ("Read", {"file_path": "", "path": "b.py"}, "", ("b.py",)),
        ("apply_patch", {"input": PATCH}, "", ("a.py", "b.py")),
        ("apply_patch", PATCH, "", ("a.py", "b.py")),
        ("other", "no patch", "", ()),
        ("other", None, "", ()),
        ("other", {"command": "make"}, "", ()),
    ],
)
def test_command_and_files_of_a_call_are_read_from_its_input(
    name: str, tool_input: Any, command: str, files: tuple[str, ...]
) -> None:
    use = use_of("1", name, tool_input, "/w")
    assert (use.id, use.name, use.command, use.files, use.tool_input) == ("1", name, command, files, tool_input)


def test_files_of_a_patch_are_at_most_five() -> None:
    patch = "*** Begin Patch\n" + "".join(f"*** Add File: {n}.py\n" for n in range(9))
    assert use_of("1", "apply_patch", patch, "").files == tuple(f"{n}.py" for n in range(5))


@pytest.mark.parametrize(
    ("text", "flags", "outcome", "expected"),
    [
        (" built \n", {"failed": False}, Outcome.OK, "built"),
        ("Exit code 2\nno rule", {"failed": True}, Outcome.FAILED, "Exit code 2\nno rule"),
        ("half", {"failed": True, "interrupted": True}, Outcome.NOT_RUN, "half"),
        ("a<system-reminder>x</system-reminder>", {"failed": False}, Outcome.OK, "a"),
    ],
)
def test_result_has_its_outcome_and_text(text: str, flags: dict[str, bool], outcome: Outcome, expected: str) -> None:
    use = ToolUse("1", "Bash", "make")
    result = result_of(text, use, **flags)
    assert (result.use, result.outcome, result.text, result.comment) == (use, outcome, expected, "")


def test_search_that_found_nothing_is_no_failure() -> None:
    assert result_of("Exit code 1", ToolUse("1", "Bash", "grep x a.py"), failed=True).outcome == Outcome.OK
    assert result_of("Exit code 1", ToolUse("1", "Bash", "make"), failed=True).outcome == Outcome.FAILED


def test_long_result_keeps_head_and_tail_cut_at_line_breaks() -> None:
    text = "\n".join(f"line {n:05}" for n in range(2000))
    cut = bounded(text)
    assert (cut.startswith("line 00000\n"), cut.endswith("\nline 01999"), "\n…\n" in cut) == (True, True, True)
    assert len(cut) <= MOST_RESULT + 3
    assert all(len(line) == 10 for line in cut.split("\n") if line != "…")


def test_short_result_stays_as_it_is() -> None:
    assert bounded("x" * MOST_RESULT) == "x" * MOST_RESULT


NOTICE = "<task-notification>\n<task-id>b1</task-id>\n<status>{}</status>\n<summary>Background command {}</summary>"


def test_notices_of_commands_in_the_background_are_read_like_their_outputs() -> None:
    notices = notices_in(
        [
            NOTICE.format("completed", '"Run it" completed (exit code 0)'),
            NOTICE.format("failed", '"Run it" failed with exit code 137'),
            NOTICE.format("killed", '"Run it" was stopped'),
            f"I saw {NOTICE.format('failed', 'it failed with exit code 1')}",
        ]
    )

    assert [(notice.use and notice.use.tool_input, notice.text) for notice in notices] == [
        ({"task_id": "b1"}, "<exit_code>0</exit_code>"),
        ({"task_id": "b1"}, "<exit_code>137</exit_code>"),
    ]


def test_exit_code_of_a_command_in_the_background_stays_in_its_output() -> None:
    text = "<status>completed</status>\n\n<exit_code>1</exit_code>\n\n<stderr>\nboom\n</stderr>"

    assert result_of(text, None, failed=False).text == text
