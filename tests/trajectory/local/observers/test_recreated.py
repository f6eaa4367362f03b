"""Recreated: a file that is made, used and removed, and made again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.trajectory.local.observers.calls import call, edit, is_silent, observe, others, runs_after
from trajectory.local import Recreated, ToolCallRecord


def one_round(content: str, output: str, says: str = "") -> list[ToolCallRecord]:
    return [
        call("Write", content, "created", kind="write", changes=True, paths=("tmp/try.py",)),
        call("Bash", "python try.py", output, kind="command", says=says),
        call("Bash", "rm tmp/try.py", "", kind="command", changes=True, removes=("try.py",)),
    ]


def rounds(*outputs: str, says: str = "", between: ToolCallRecord | None = None) -> list[ToolCallRecord]:
    calls: list[ToolCallRecord] = []
    for number, output in enumerate(outputs):
        calls += [between] if between and number else []
        calls += one_round(f"print({number})", output, says)
    return calls


def test_third_round_with_the_same_result_is_a_caution_that_cites_what_makes_and_removes() -> None:
    assessment = observe(Recreated(), *rounds("41", "41", "41"))
    assert assessment.summary == "`tmp/try.py` was made and removed 3 times, with the same result."
    assert (assessment.severity, assessment.calls) == ("caution", (1, 3, 4, 6, 7, 9))
    assert assessment.identity == "Recreated File: try.py"


def test_second_round_and_other_results_are_none() -> None:
    assert is_silent(Recreated(), *rounds("41", "41"))
    assert is_silent(Recreated(), *rounds("41", "42", "43", "44"))


def test_fifth_round_in_which_nothing_else_happens_is_one_whatever_its_result() -> None:
    outputs = [f"{n}" for n in range(5)]
    assert observe(Recreated(), *rounds(*outputs)).summary == "`tmp/try.py` was made and removed 5 times."
    assert is_silent(Recreated(), *rounds(*outputs, between=edit("src/a.py")))


@pytest.mark.parametrize("says", ["success", "nothing"])
def test_check_that_passes_after_changes_of_something_else_is_none(says: str) -> None:
    assert is_silent(Recreated(), *rounds(*["fine"] * 6, says=says, between=edit("src/a.py")))


def test_same_result_counts_though_something_else_was_changed() -> None:
    assert not is_silent(Recreated(), *rounds("41", "41", "41", between=edit("src/a.py")))


def numbered(*outputs: str, between: ToolCallRecord | None = None) -> list[ToolCallRecord]:
    """Rounds of try0.py, try1.py and so on."""
    calls = rounds(*outputs, between=between)
    for number in range(len(outputs)):
        for position in (3 * number, 3 * number + 2):
            name = f"try{number}.py"
            fields: dict[str, Any] = {"paths": (name,)} if calls[position].paths else {"removes": (name,)}
            calls[position] = replace(calls[position], **fields)
    return calls


def test_names_that_differ_in_their_numbers_are_one_while_the_result_is_the_same() -> None:
    assessment = observe(Recreated(), *numbered("41", "41", "41"))
    assert assessment.summary == "Files like `try2.py` were made and removed 3 times, with the same result."
    assert assessment.identity == "Recreated File: try.py"
    assert is_silent(Recreated(), *numbered(*[f"{n}" for n in range(6)]))


def test_files_of_other_names_are_other_rounds() -> None:
    other = call("Bash", "rm b.py", "", kind="command", changes=True, removes=("b.py",))
    assert is_silent(Recreated(), *rounds("41", "41"), other)


def test_it_ends_six_calls_after_the_last_removal() -> None:
    assert not is_silent(Recreated(), *rounds("41", "41", "41"), *others(5))
    assert is_silent(Recreated(), *rounds("41", "41", "41"), *others(6))


def test_it_runs_within_four_calls_of_a_removal() -> None:
    cases = [[], rounds("41"), [*rounds("41"), *others(4)]]
    assert [runs_after(Recreated(), *calls) for calls in cases] == [False, True, False]


def test_threshold_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="same_threshold"):
        Recreated(same_threshold=0)
