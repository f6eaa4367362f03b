"""What is read out of a call and its result while they are there: verdicts, counts, commands, edits, echoes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local.calls import commands, edits, normalise, parse, repeats, result_text, suite_report
from trajectory.local.calls import facts as reading


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing"),
        ("No files found", "nothing"),
        ("[]", "nothing"),
        ("42", "nothing"),
        ("All checks passed!", "success"),
        ("0 errors, 0 warnings: done", "success"),
        ("System check identified no issues (0 silenced).", "success"),
        ("build succeeded.\nERROR: Heading not found in toctree!", "failure"),
        ("Traceback (most recent call last):\nValueError: x", "failure"),
        ("Your fix did not target all the buggy lines.", "failure"),
        ("test_failed_login PASSED", "success"),
        ("total 12\n-rw-r--r-- a.py", ""),
    ],
)
def test_verdict_of_a_result(text: str, said: str) -> None:
    assert result_text.of_result(text) == said


def test_tool_that_quotes_a_file_is_judged_by_its_first_line() -> None:
    assert result_text.of_answer("The file a.py has been updated:\n  raise ValueError('failed')") == "success"
    assert result_text.of_answer("ERROR:\nNo replacement was performed, old_str did not appear") == "failure"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("at 2026-01-15 14:32:01 ok", "at 2026-01-16 09:00:59 ok", True),
        ("took 0.31s", "took 1.2 seconds", True),
        ("<Foo object at 0x7fec93eb96a0>", "<Foo object at 0x7f59d0f55670>", True),
        ("pid 311", "pid 47", True),
        ("3 failed", "2 failed", False),
        ("line 12", "line 13", False),
        ("10 of 30", "11 of 30", False),
    ],
)
def test_results_are_the_same_but_for_times_durations_and_ids(one: str, other: str, same: bool) -> None:
    assert (reading.key_of(one) == reading.key_of(other)) is same


def test_middle_of_a_long_result_counts_letter_by_letter() -> None:
    long = "a" * 20_000
    assert reading.key_of(long + "x" + long) != reading.key_of(long + "y" + long)
    assert normalise.settled("A" * 20_000).count("A") == 8_000


@pytest.mark.parametrize(
    ("command", "waits", "changes", "only_looks"),
    [
        ("sleep 30 && tail -1 log", True, False, False),
        ("gh run view 7", True, False, False),
        ("while ! curl -s localhost:8000/health; do sleep 1; done", True, False, False),
        ("cat sleep.log", False, False, True),
        ("cd src && git log -3 | head", False, False, True),
        ("sed -i s/a/b/ x.py", False, True, False),
        ("echo x > a.txt", False, True, False),
        ("grep '>' a.txt", False, False, True),
        ("make 2>&1", False, True, False),
        ("pytest -q 2>/dev/null", False, False, False),
        ("sudo git commit -m 'sleep 3'", False, True, False),
        ("python a.py", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_a_command_is_for(command: str, waits: bool, changes: bool, only_looks: bool) -> None:
    found = commands.waits(command), commands.changes(command), commands.only_looks(command)
    assert found == (waits, changes, only_looks)


@pytest.mark.parametrize(
    ("output", "failures"),
    [
        ("FAILED tests/a.py::b - x\n==== 3 failed, 5 passed in 0.12s ====", 3),
        ("==== 1 failed, 2 passed, 1 error in 3.10s ====", 2),
        ("==== 9 passed, 1 warning in 0.50s ====", 0),
        ("2 failed, 1 passed in 0.03s", 2),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=2, errors=1)", 3),
        ("Ran 4 tests in 0.001s\n\nOK", 0),
        ("Tests:       2 failed, 3 passed, 5 total", 2),
        ("  3 passing (2s)\n  4 failing", 4),
        ("test result: FAILED. 3 passed; 2 failed; 0 ignored", 2),
        ("--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\texample.org/x\t0.003s", 2),
        ("ok  \texample.org/x\t0.003s", 0),
        ("Tests run: 5, Failures: 1, Errors: 2, Skipped: 0", 3),
        ("5 examples, 2 failures", 2),
        ("Found 3 errors in 2 files (checked 9 source files)", 3),
        ("Success: no issues found in 9 source files", 0),
        ("There are 3 failing test cases, here is the full log", 3),
        ("the build failed for 3 reasons", None),
        ("hello", None),
        ("", None),
    ],
)
def test_failures_are_counted(output: str, failures: int | None) -> None:
    assert suite_report.of_output(output)[0] == failures


def test_names_of_the_failing_tests_are_told_apart_whatever_their_order() -> None:
    def names(*given: str) -> str:
        return suite_report.of_output("\n".join(f"FAILED a.py::{one} - x" for one in given) + "\n= 2 failed in 0.1s =")[
            1
        ]

    assert names("a", "b") == names("b", "a") != names("a", "c")


def test_edits_are_directional_and_empty_sides_have_no_hash() -> None:
    there = edits.edits_of({"old_string": "a", "new_string": "b"}, ["x.py"])
    back = edits.edits_of({"old_str": "b", "new_str": "a"}, ["x.py"])
    assert there[0][1:] == back[0][:0:-1]
    assert edits.edits_of({"old_string": "", "new_string": "b"}, ["x.py"])[0][1] == ""
    assert edits.edits_of({"old_string": "a", "new_string": ""}, ["x.py"]) == []
    assert edits.edits_of({"old_string": "a", "new_string": "a"}, ["x.py"]) == []
    assert len(edits.edits_of({"edits": [{"old_string": "a", "new_string": f"{n}"} for n in range(99)]}, ["x.py"])) == 8


def test_echo_counts_the_mark_that_comes_back_most() -> None:
    rows = [{"tool_name": "T", "args_hash": args, "result_key": result} for args, result in ("ax", "bx", "ay")]
    assert [repeats.repeats(rows[:n], row) for n, row in enumerate(rows)] == [1, 2, 2]
    assert repeats.repeats(rows, {"tool_name": "Other", "args_hash": "a", "result_key": "x"}) == 1
    assert repeats.repeats([{"args_hash": ""}] * 9, {"args_hash": ""}) == 1


def facts(name: str, arguments: Any, result: Any = None, **more: Any) -> dict[str, Any]:
    return parse.row_of({"tool_name": name, "tool_input": arguments, "result": result} | more)


def test_silence_of_a_shell_is_known_and_empty_however_many_fields_say_so() -> None:
    silent = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": "", "interrupted": False}}
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "true"}}
    row = parse.row_of(given | silent)
    assert (row["result_key"], row["says"], row["result_head"]) == ("empty", "nothing", "")


def test_result_that_was_not_given_is_unknown() -> None:
    assert facts("Bash", {"command": "ls"})["result_key"] == ""


def test_what_is_shown_of_a_result_is_redacted_and_short() -> None:
    row = facts("Bash", {"command": "env"}, "TOKEN=ghp_0123456789abcdef0123456789abcdef0123 " + "x" * 900)
    assert "ghp_0123" not in row["result_head"]
    assert len(row["result_head"]) <= 160


@pytest.mark.parametrize(
    ("name", "arguments", "polls"),
    [
        ("BashOutput", {"bash_id": "1"}, True),
        ("write_stdin", {"chars": ""}, True),
        ("write_stdin", {"chars": "y\n"}, False),
        ("process", {"action": "poll"}, True),
        ("process", {"action": "kill"}, False),
        ("mcp__ci__get_status", {}, True),
        ("Read", {"file_path": "a"}, False),
        ("Bash", {"command": "sleep 5"}, True),
    ],
)
def test_what_only_waits_is_known(name: str, arguments: dict[str, Any], polls: bool) -> None:
    assert facts(name, arguments, "x")["polls"] is polls


def test_file_that_tells_of_errors_is_no_failure_and_no_report_of_tests() -> None:
    row = facts("Read", {"file_path": "a.log"}, "==== 3 failed, 5 passed in 0.12s ====\nerror")
    assert (row["failures"], row["looks"]) == (None, True)
    assert facts("Bash", {"command": "cat a.log"}, "==== 3 failed, 5 passed in 0.12s ====")["failures"] is None


@given(st.text(), st.text() | st.none() | st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=4))
def test_any_command_and_result_are_read_without_failing(command: str, result: Any) -> None:
    row = facts("Bash", {"command": command}, result)
    assert len(str(row["result_head"])) <= 160
    assert row["failures"] is None or row["failures"] >= 0
