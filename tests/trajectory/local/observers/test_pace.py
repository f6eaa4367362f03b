"""Pace: what is left of a budget of time, calls, tokens or money."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.rows.tool_calls import START, ok
from tests.trajectory.local.observers.calls import observe, runs_after
from trajectory.local import Assessment
from trajectory.local.observers.pace import Pace


def after_calls(n: int, pace: Pace) -> Assessment:
    return observe(pace, *[ok(params=str(k), timestamp=START) for k in range(n)])


def after_seconds(seconds: float, pace: Pace, **used: Any) -> Assessment:
    return observe(pace, ok(timestamp=START, **used), now=START + timedelta(seconds=seconds))


def test_half_a_third_and_a_tenth_of_the_calls_left_are_reported_ever_more_severely() -> None:
    assessments = [after_calls(n, Pace(calls=20)) for n in (9, 10, 13, 15, 17, 18)]
    assert [(each.severity, each.identity) for each in assessments] == [
        ("info", ""),
        ("info", "Budget: calls 50%"),
        ("info", "Budget: calls 50%"),
        ("caution", "Budget: calls 30%"),
        ("caution", "Budget: calls 30%"),
        ("warning", "Budget: calls 10%"),
    ]


@pytest.mark.parametrize("budget", [10, 20, 30, 50, 70, 100])
def test_each_share_is_reported_at_the_call_that_reaches_it_and_not_before(budget: int) -> None:
    at = {left: budget * (100 - left) // 100 for left in (50, 30, 10)}
    reported = {left: after_calls(n, Pace(calls=budget)).identity for left, n in at.items()}
    assert reported == {left: f"Budget: calls {left}%" for left in at}
    before = {left: after_calls(n - 1, Pace(calls=budget)).identity for left, n in at.items()}
    assert not set(before.items()) & set(reported.items())


def test_finding_cites_the_latest_call_and_the_figures() -> None:
    assessment = after_calls(18, Pace(calls=20))
    assert (assessment.observer_name, assessment.calls) == ("Pace", (18,))
    assert assessment.observations[0].evidence == "#18: Read(17)"
    assert all(figure in assessment.summary for figure in ("10%", "calls", "18 of 20"))


def test_overdrawn_budget_has_nothing_left() -> None:
    assert "0%" in after_calls(25, Pace(calls=20)).summary


def test_time_counts_from_the_first_call() -> None:
    found = [after_seconds(seconds, Pace(seconds=100)) for seconds in (49, 50, 90)]
    assert [each.severity for each in found] == ["info", "info", "warning"]
    assert [each.says_something for each in found] == [False, True, True]


def test_tokens_and_cost_are_those_that_the_latest_call_with_figures_reports() -> None:
    calls = [ok(tokens_used=100, cost_used=0.25), ok(tokens_used=950, cost_used=0.5), ok()]
    assert observe(Pace(tokens=1000), *calls).identity == "Budget: tokens 10%"
    assert observe(Pace(cost=1.0), *calls).identity == "Budget: cost 50%"
    assert "0.50 of 1 used" in observe(Pace(cost=1.0), *calls).summary


def test_budget_without_any_figure_is_not_reported() -> None:
    assert observe(Pace(tokens=10, cost=1.0), ok(), ok()).says_something is False


def test_budget_of_which_the_smallest_share_is_left_is_reported() -> None:
    assert after_seconds(75, Pace(seconds=100, tokens=100), tokens_used=95).identity == "Budget: tokens 10%"


def test_budget_that_will_not_last_for_the_time_is_a_caution() -> None:
    pace = Pace(seconds=100, tokens=1000)
    assert after_seconds(25, pace, tokens_used=250).says_something is False
    overrun = after_seconds(25, pace, tokens_used=251)
    assert (overrun.identity, overrun.severity) == ("Budget: projected", "caution")


def test_projection_begins_when_a_fifth_of_the_time_is_over() -> None:
    pace = Pace(seconds=100, tokens=1000)
    identities = [after_seconds(seconds, pace, tokens_used=400).identity for seconds in (19, 20)]
    assert identities == ["", "Budget: projected"]


@pytest.mark.parametrize("percent", [20, 29, 30, 45])
def test_budget_used_at_the_same_rate_as_the_time_will_last(percent: int) -> None:
    assessment = after_seconds(percent, Pace(seconds=100, tokens=1000), tokens_used=10 * percent)
    assert assessment.says_something is False


def test_it_runs_only_with_a_budget_and_reports_only_after_a_call() -> None:
    assert [runs_after(Pace(), ok()), runs_after(Pace(calls=3), ok())] == [False, True]
    assert observe(Pace(), ok()).says_something is False
    assert observe(Pace(calls=1)).says_something is False


@pytest.mark.parametrize("budget", ["seconds", "calls", "tokens", "cost"])
def test_budget_that_is_not_above_zero_is_refused(budget: str) -> None:
    with pytest.raises(ValueError, match=f"{budget} must be a number above 0"):
        Pace(**{budget: 0})
