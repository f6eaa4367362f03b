"""What the text of a result says about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local.calls import result_text


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
def test_text_of_a_result_is_judged_by_its_words(text: str, said: str) -> None:
    assert result_text.of_result(text) == said


def test_tool_that_quotes_a_file_is_judged_by_its_first_line() -> None:
    assert result_text.of_answer("The file a.py has been updated:\n  raise ValueError('failed')") == "success"
    assert result_text.of_answer("ERROR:\nNo replacement was performed, old_str did not appear") == "failure"


@pytest.mark.parametrize(
    "text",
    [
        *("boom: ValueError", "Exception in thread", "Traceback", "build failed", "fails", "fatal: x", "panicked at x"),
        *("cannot open", "can’t open", "could not open", "couldn't open", "unable to open", "not found", "no such x"),
        *("undefined name", "invalid x", "access denied", "refused", "did not work", "does not exist", "not permitted"),
        *("no replacement", "aborted", "timed out", "timeout", "unexpected x", "segmentation fault", "not supported"),
        *("too much output", "unknown command"),
    ],
)
def test_each_word_of_failure_is_seen_in_a_text_without_another(text: str) -> None:
    assert result_text.of_result(f"{text} here") == "failure"


@pytest.mark.parametrize(
    "text",
    [
        *("success", "succeeded", "5 passed", "done", "okay", "ok", "up-to-date", "up to date", "no linter issues"),
        *("created", "updated", "modified", "saved", "written", "applied", "added", "removed", "deleted", "recorded"),
        *("completed", "finished", "clean", "nothing to do", "unchanged", "formatted"),
    ],
)
def test_each_word_of_success_is_seen_in_a_short_text_only(text: str) -> None:
    assert result_text.of_result(f"all {text} x") == "success"
    assert result_text.of_result(f"all {text} x" + " y" * 200) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("no files", "No matches found", "found 0 files", "0 matches", "nothing found.", "none", "null", "{}"),
        *("(no output)", "(empty)", "Tool ran without output or errors", "-1.5", ".5", "٣", "true", "false", "yes"),
    ],
)
def test_empty_answers_and_bare_values_are_nothing(text: str) -> None:
    assert result_text.of_result(f"  {text}\n") == "nothing"


@given(st.text())
def test_any_text_is_one_of_the_four(text: str) -> None:
    assert {result_text.of_result(text), result_text.of_answer(text)} <= {"", "failure", "success", "nothing"}
