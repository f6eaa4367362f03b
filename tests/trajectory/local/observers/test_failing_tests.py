"""TestTrend: failing tests that do not get fewer."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import context_of, session_of
from tests.trajectory.local.observers.calls import edit, error, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.failing_tests import TestTrend, falling, runs_of_latest


def red(failures: int, failing: str = "", command: str = "pytest") -> ToolCallRecord:
    return error("Bash", command, f"{failures} failed", failures=failures, failing=failing or f"names {failures}")


def runs(*failures: int, failing: str = "") -> list[ToolCallRecord]:
    """Runs that leave so many tests failing, with a change before each but the first."""
    return [record for n in failures for record in (edit(), red(n, failing))][1:]


def test_fourth_run_with_the_same_tests_failing_is_a_caution_that_cites_the_runs() -> None:
    assessment = observe(TestTrend(), *runs(2, 2, 2, 2))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == ("Test Trend", "caution", (1, 3, 5, 7))
    assert assessment.identity == "Test Trend: do not fall pytest"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Bash(pytest) -> 2 failed" for n in (1, 3, 5, 7))
    assert "2 → 2 → 2 → 2" in assessment.summary


def test_third_run_with_them_is_none() -> None:
    assert is_silent(TestTrend(), *runs(2, 2, 2))


def test_failures_that_rise_four_times_are_a_finding_whatever_fails() -> None:
    assessment = observe(TestTrend(), *runs(1, 2, 4, 5))
    assert (assessment.identity, assessment.calls) == ("Test Trend: rise pytest", (1, 3, 5, 7))
    assert "1 → 2 → 4 → 5" in assessment.summary


def test_falling_numbers_are_progress() -> None:
    assert is_silent(TestTrend(), *runs(5, 4, 3, 2, failing="same"))
    assert is_silent(TestTrend(), *runs(2, 2, 2, 2, 1, failing="same"))


def test_other_tests_that_fail_in_the_same_number_are_none() -> None:
    assert is_silent(TestTrend(), *runs(2, 2, 2), edit(), red(2, "others"))


def test_runs_without_a_change_in_between_are_one() -> None:
    assert is_silent(TestTrend(), *[red(2)] * 8)


def test_it_ends_when_all_pass() -> None:
    assert is_silent(TestTrend(), *runs(2, 2, 2, 2), edit(), red(0))


def test_it_ends_twelve_calls_after_the_last_run() -> None:
    assert not is_silent(TestTrend(), *runs(2, 2, 2, 2), *others(11))
    assert is_silent(TestTrend(), *runs(2, 2, 2, 2), *others(12))


def test_it_runs_after_a_report_of_failures_only() -> None:
    assert [runs_after(TestTrend(), *calls) for calls in ([], [red(1)], [red(0)], [red(1), edit()])] == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("threshold", [0, 1])
def test_threshold_below_two_is_refused(threshold: int) -> None:
    with pytest.raises(ValueError, match="run_threshold must be"):
        TestTrend(threshold)


def test_runs_of_the_command_that_reported_last_are_compared() -> None:
    records = session_of(red(3), edit(), red(1, command="npm test"), edit(), red(2))
    found = runs_of_latest(list(context_of(records).recent_tool_calls(9)))
    assert [(run.call_index, run.failures) for run in found] == [(1, 3), (5, 2)]
    assert runs_of_latest(others(2)) == []


def test_numbers_fall_when_the_latest_run_left_fewer() -> None:
    assert [falling(runs(*counts)) for counts in ([3, 2], [2, 2], [2, 3], [3], [3, 2, 0])] == [
        True,
        False,
        False,
        False,
        True,
    ]
