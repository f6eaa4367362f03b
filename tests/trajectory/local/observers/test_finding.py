"""The assessments that observers build: a finding with one observation, or nothing."""

from __future__ import annotations

from tests.support.rows.tool_calls import START, context_of, ok, session_of
from trajectory.local import Assessment, Observation
from trajectory.local.observers.finding import finding, nothing


def test_nothing_is_an_assessment_that_says_nothing() -> None:
    assessment = nothing("Cycle", context_of(session_of()))
    assert (assessment.observer_name, assessment.timestamp) == ("Cycle", START)
    assert (assessment.says_something, assessment.observations, assessment.calls) == (False, (), ())


def test_finding_has_one_observation_and_the_numbers_of_its_calls() -> None:
    session = session_of(ok(), ok())
    assessment = finding(
        "Cycle",
        context_of(session),
        category="Round",
        summary="Two calls.",
        description="In turn.",
        evidence="#1, #2",
        suggestions=["Leave it."],
        severity="warning",
        identity="a b",
        calls=context_of(session).recent_tool_calls(2),
    )
    assert assessment == Assessment(
        observer_name="Cycle",
        summary="Two calls.",
        observations=(Observation("Round", "In turn.", "#1, #2"),),
        suggestions=("Leave it.",),
        severity="warning",
        timestamp=START,
        identity="Round: a b",
        calls=(1, 2),
    )


def test_summary_describes_the_observation_where_no_description_is_given() -> None:
    assessment = finding(
        "Cycle",
        context_of(session_of()),
        category="Round",
        summary="Two calls.",
        evidence="",
        suggestions=[],
        severity="caution",
        identity="",
        calls=[],
    )
    assert assessment.observations == (Observation("Round", "Two calls.", ""),)
