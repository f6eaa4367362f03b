"""NoEffect: a program that prints the same after each edit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectory.local.observers.calls import call, edit, is_silent, observe, others, runs_after
from trajectory.local import NoEffect, ToolCallRecord


def run(output: str = "41", **fields: Any) -> ToolCallRecord:
    known: dict[str, Any] = {"kind": "command", "says": ""}
    return call("Bash", "command=python check.py", output, **known | fields)


def loop(*outputs: str, path: str = "a.py", **fields: Any) -> list[ToolCallRecord]:
    """A run for each output, with an edit of `path` before each but the first."""
    calls: list[ToolCallRecord] = []
    for number, output in enumerate(outputs):
        calls += [edit(path.format(number))] if number else []
        calls.append(run(output, **fields))
    return calls


def test_fourth_run_that_prints_the_same_is_a_caution_that_says_so_neutrally() -> None:
    assessment = observe(NoEffect(), *loop("41", "41", "41", "41"))
    assert assessment.summary == "The last 3 edits did not change what `python check.py` prints."
    assert (assessment.observer_name, assessment.severity) == ("Edits Without Effect", "caution")
    assert (assessment.calls, assessment.identity) == (
        (1, 3, 5, 7),
        "Edits Without Effect: Bash command=python check.py",
    )
    assert assessment.suggestions[0].startswith("If they were meant to")


def test_third_run_is_none_and_never_is_it_a_warning() -> None:
    assert is_silent(NoEffect(), *loop(*["41"] * 3))
    assert observe(NoEffect(), *loop(*["41"] * 12)).severity == "caution"


def test_output_that_changed_since_the_first_run_is_progress() -> None:
    assert is_silent(NoEffect(), *loop("41", *["42"] * 5))
    assert not is_silent(NoEffect(), *loop("42", "41", *["42"] * 4))


def test_first_runs_that_failed_do_not_count_as_output() -> None:
    broken = run("Traceback", says="failure")
    assert not is_silent(NoEffect(), broken, edit(), *loop(*["41"] * 4))


def test_edits_of_ever_other_files_are_finished_tasks() -> None:
    assert is_silent(NoEffect(), *loop(*["41"] * 6, path="{}.py"))


@pytest.mark.parametrize(
    "fields",
    [{"says": "success"}, {"failures": 0}, {"says": "failure"}, {"looks": True}, {"polls": True}, {"changes": True}],
    ids=["success", "tests that pass", "failure", "looking", "waiting", "a change by itself"],
)
def test_output_that_is_not_neutral_is_left_out(fields: dict[str, Any]) -> None:
    assert is_silent(NoEffect(), *loop(*["41"] * 6, **fields))


@pytest.mark.parametrize(
    ("printed", "silent"),
    [
        ("", True),
        ("[]", True),
        ("true", True),
        ("0", True),
        ("0.0", True),
        ("200", True),
        ("41", False),
        ("-1.5", False),
    ],
    ids=["nothing", "list", "word", "zero", "zero with a point", "HTTP status", "number", "below zero"],
)
def test_of_what_says_nothing_a_bare_number_is_a_value(printed: str, silent: bool) -> None:
    assert is_silent(NoEffect(), *loop(*[printed] * 6, says="nothing")) is silent


@pytest.mark.parametrize(
    ("printed", "silent"),
    [("Exit code 1", True), ("Exit code 1 1c1 < 41 --- > 42", False)],
    ids=["no match", "a difference"],
)
def test_comparison_that_prints_a_difference_counts(printed: str, silent: bool) -> None:
    fields = {"says": "nothing", "outcome": "no-match"}
    assert is_silent(NoEffect(), *loop(*[printed] * 6, **fields)) is silent


def test_runs_without_edits_and_runs_of_one_batch_are_left_out() -> None:
    assert is_silent(NoEffect(), *[run()] * 6)
    assert is_silent(NoEffect(), *loop(*["41"] * 6, batch_id="m"))


def test_it_ends_eight_calls_after_the_last_run() -> None:
    assert not is_silent(NoEffect(), *loop(*["41"] * 4), *others(7))
    assert is_silent(NoEffect(), *loop(*["41"] * 4), *others(8))


def test_it_runs_after_a_program_only() -> None:
    assert [runs_after(NoEffect(), *calls) for calls in ([], [run()], [run(), edit()])] == [False, True, False]


@pytest.mark.parametrize("threshold", [0, 1, -3])
def test_threshold_below_two_is_refused(threshold: int) -> None:
    with pytest.raises(ValueError, match="run_threshold"):
        NoEffect(threshold)
