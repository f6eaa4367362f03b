"""Stagnation: different questions to one tool, always the same answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectory.local.observers.calls import call, error, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.stagnation import Stagnation


def asked(n: int, answer: str = "not logged in", **fields: Any) -> list[ToolCallRecord]:
    return [call("Search", f"q{k}", answer, **fields) for k in range(n)]


def test_fourth_same_answer_is_a_caution_that_cites_the_questions() -> None:
    assessment = observe(Stagnation(), *asked(4))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Stagnation", "caution", (1, 2, 3, 4))
    assert assessment.identity == "Same Answer: Search not logged in"
    assert assessment.observations[0].evidence == "\n".join(
        f"#{n + 1}: Search(q{n}) -> not logged in" for n in range(4)
    )
    assert "4 calls" in assessment.summary
    assert assessment.headline == (
        "`Search` gave the same answer to 4 calls with different arguments: `not logged in`. "
        "What you vary is not what it depends on."
    )


def test_third_same_answer_is_none() -> None:
    assert is_silent(Stagnation(), *asked(3))
    assert [runs_after(Stagnation(), *asked(n)) for n in (3, 4)] == [False, True]


def test_sixth_is_a_warning_and_the_fifth_not_yet() -> None:
    assert [observe(Stagnation(), *asked(n)).severity for n in (5, 6)] == ["caution", "warning"]


@pytest.mark.parametrize(
    "fields",
    [
        {"says": "success"},
        {"says": "nothing"},
        {"polls": True},
        {"kind": "write"},
        {"args_hash": ""},
        {"result_key": ""},
        {"batch_id": "m1"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_answers_that_say_nothing_are_not_counted(fields: dict[str, Any]) -> None:
    assert is_silent(Stagnation(), *asked(6, **fields))


def test_reported_failures_are_left_to_another_observer() -> None:
    assert is_silent(Stagnation(), *[error("Search", f"q{n}", "not logged in") for n in range(6)])


def test_write_that_says_it_failed_is_counted() -> None:
    assert not is_silent(Stagnation(), *asked(4, kind="write", says="failure"))


def test_half_of_the_questions_must_differ() -> None:
    assert not is_silent(Stagnation(), *asked(2), *asked(2))
    assert is_silent(Stagnation(), *asked(2), *asked(2), *asked(1))


def test_it_ends_four_calls_after_the_last_answer() -> None:
    assert not is_silent(Stagnation(), *asked(4), *others(3))
    assert is_silent(Stagnation(), *asked(4), *others(4))


def test_only_the_last_twelve_calls_count() -> None:
    assert is_silent(Stagnation(), *asked(1), *others(9), *asked(3))
    assert not is_silent(Stagnation(), *asked(1), *others(8), *asked(3))
