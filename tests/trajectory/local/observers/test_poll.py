"""Poll: a wait that is made of many calls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.rows.tool_calls import START
from tests.trajectory.local.observers.calls import call, edit, is_silent, observe, others, runs_after
from trajectory.local import ToolCallRecord
from trajectory.local.observers.poll import Poll


def waits(n: int, answer: str = "running", *, apart: int = 6, **fields: object) -> list[ToolCallRecord]:
    moments = [START + timedelta(seconds=apart * k) for k in range(n)]
    return [call("Wait", "job 1", answer, polls=True, timestamp=moment, **fields) for moment in moments]


def test_tenth_same_answer_is_a_caution_with_its_duration() -> None:
    assessment = observe(Poll(), *waits(10))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == (
        "Polling",
        "caution",
        tuple(range(1, 11)),
    )
    assert assessment.identity == "Polling: Wait job 1"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Wait(job 1) -> running" for n in range(6, 11))
    assert ("10 times" in assessment.summary, "54 s" in assessment.summary) == (True, True)
    description = assessment.observations[0].description
    assert ("14:32:00" in description, "14:32:54" in description) == (True, True)


def test_ninth_is_none() -> None:
    assert is_silent(Poll(), *waits(9))


def test_it_never_becomes_a_warning() -> None:
    assert observe(Poll(), *waits(40)).severity == "caution"


def test_three_calls_that_took_a_quarter_of_the_budget_are_enough() -> None:
    budget = Poll(budget_seconds=400)
    assert [is_silent(budget, *waits(3, apart=apart)) for apart in (50, 51)] == [True, False]
    assert is_silent(budget, *waits(2, apart=399))


def test_another_answer_starts_a_new_wait() -> None:
    assert is_silent(Poll(), *waits(9, "starting"), *waits(9))
    assert observe(Poll(), *waits(5, "starting"), *waits(10)).calls == tuple(range(6, 16))


def test_change_in_between_starts_a_new_wait() -> None:
    assert is_silent(Poll(), *waits(5), edit(), *waits(5))
    assert observe(Poll(), *waits(5), edit(), *waits(10)).calls == tuple(range(7, 17))
    assert not is_silent(Poll(), *waits(10, changes=True))


def test_calls_of_one_batch_are_one() -> None:
    assert is_silent(Poll(), *waits(12, batch_id="m1"))


def test_repetition_that_does_not_wait_is_none() -> None:
    assert is_silent(Poll(), *[call("Bash", "cat x", "text")] * 12)


def test_it_ends_four_calls_after_the_last_wait() -> None:
    assert not is_silent(Poll(), *waits(10), *others(3))
    assert is_silent(Poll(), *waits(10), *others(4))


def test_it_runs_after_a_wait_only() -> None:
    assert [runs_after(Poll(), *calls) for calls in ([], waits(1), [*waits(1), *others(1)])] == [False, True, False]


@pytest.mark.parametrize("settings", [{"poll_threshold": 0}, {"budget_seconds": 0.0}, {"budget_share": -1.0}])
def test_threshold_that_is_not_above_zero_is_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(settings))} must be a number above 0"):
        Poll(**settings)  # type: ignore[arg-type]
