"""Cycle: a round of different calls, made over and over."""

from __future__ import annotations

import pytest

from tests.trajectory.local.observers.calls import call, error, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.cycle import Cycle


def turn(*names: str, result: str = "same", **fields: object) -> list[ToolCallRecord]:
    return [call("Bash", name, result, **fields) for name in names]


def test_two_rounds_with_the_same_results_are_a_caution_that_cites_one_round() -> None:
    assessment = observe(Cycle(), *others(1), *turn("ls", "cat") * 2)
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Cycle", "caution", (2, 3, 4, 5))
    assert assessment.identity == "Cycle: Bash cat Bash ls"
    assert assessment.observations[0].evidence == "#4: Bash(ls) -> same\n#5: Bash(cat) -> same"
    assert "2 times" in assessment.summary


def test_round_and_a_half_is_none() -> None:
    assert is_silent(Cycle(), *turn("ls", "cat", "ls"))
    assert [runs_after(Cycle(), *turn("ls", "cat", "ls", "cat")[:n]) for n in (3, 4)] == [False, True]


def test_four_rounds_are_a_warning_and_three_are_not() -> None:
    assert [observe(Cycle(), *turn("a", "b") * n).severity for n in (3, 4)] == ["caution", "warning"]


def test_round_of_unknown_results_takes_three_turns() -> None:
    assert is_silent(Cycle(), *turn("a", "b", result="") * 2)
    assert not is_silent(Cycle(), *turn("a", "b", result="") * 3)


def test_round_counts_as_same_only_if_every_result_of_it_is_known() -> None:
    unknown, known = turn("a", "b", result=""), turn("a", "b")
    assert is_silent(Cycle(), *unknown, *known)
    assert is_silent(Cycle(), *known, *unknown)
    half_known = [*turn("a"), *turn("b", result="")]
    assert is_silent(Cycle(), *half_known, *known)
    assert observe(Cycle(), *known, *half_known, *unknown).calls == (1, 2, 3, 4, 5, 6)


def test_unknown_result_does_not_join_two_known_ones_that_differ() -> None:
    unknown = turn("a", "b", result="")
    assert is_silent(Cycle(), *turn("a", "b", result="first"), *turn("a", "b", result="second"), *unknown)
    assert is_silent(Cycle(), *turn("a", "b", result="first"), *unknown, *turn("a", "b", result="second"))
    assert not is_silent(Cycle(), *turn("a", "b"), *unknown, *turn("a", "b"))


def test_calls_of_one_batch_are_not_two_rounds() -> None:
    assert is_silent(Cycle(), *turn("a", "b", batch_id="message") * 3)


@pytest.mark.parametrize("names", ["ab", "abcd"])
def test_at_most_six_rounds_are_counted(names: str) -> None:
    for rounds in (5, 6, 7):
        assessment = observe(Cycle(), *turn(*names) * rounds)
        counted = min(rounds, 6)
        assert f"{counted} times" in assessment.summary
        assert assessment.calls == tuple(range((rounds - counted) * len(names) + 1, rounds * len(names) + 1))


@pytest.mark.parametrize(("names", "silent"), [("abcd", False), ("abcde", True)])
def test_longest_round_has_four_calls(names: str, silent: bool) -> None:
    assert is_silent(Cycle(), *turn(*names) * 3) is silent


def test_identity_is_the_same_wherever_the_round_begins() -> None:
    first, second = observe(Cycle(), *turn("a", "b") * 2), observe(Cycle(), *turn("b", "a") * 2)
    assert first.identity == second.identity


def test_question_that_is_answered_differently_is_progress() -> None:
    assert is_silent(Cycle(), *turn("a", "b"), *turn("a", "b", result="other"))


def test_same_call_again_is_no_round() -> None:
    assert is_silent(Cycle(), *turn("a", "a") * 3)


def test_round_that_waits_or_changes_something_is_none() -> None:
    assert is_silent(Cycle(), *turn("a", "b", polls=True) * 3)
    assert is_silent(Cycle(), *turn("a", "b", changes=True) * 3)


def test_it_ends_with_any_other_call() -> None:
    assert is_silent(Cycle(), *turn("a", "b") * 3, *others(1))


def test_failures_make_a_round_as_well() -> None:
    assert observe(Cycle(), *[error("Bash", "a", "x"), error("Bash", "b", "y")] * 2).calls == (1, 2, 3, 4)
