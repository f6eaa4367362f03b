"""ErrorCascadeDetector: one failure after the other."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of
from trajectory.local import Assessment, ErrorCascadeDetector, Observation

SIMILAR = "All errors appear similar - this suggests a systemic issue rather than individual problems."


def observe(*calls) -> Assessment:
    session = session_of(*calls)
    return ErrorCascadeDetector().observe(session, context=context_of(session))


def wants(*calls) -> bool:
    session = session_of(*calls)
    return ErrorCascadeDetector().should_run(session, context=context_of(session))


def test_three_failures_are_a_warning_with_their_errors_in_ascending_order():
    calls = [failed("edit_file", error="Syntax error on line 42")] * 3
    assert observe(ok(), *calls) == Assessment(
        observer_name="Error Cascade Detector",
        summary="Detected 3 consecutive failures. Immediate reassessment recommended.",
        observations=(
            Observation(
                "Error Cascade",
                "3 consecutive tool calls have failed.",
                "\n".join(f"#{n}: edit_file - Syntax error on line 42" for n in (2, 3, 4)),
            ),
        ),
        suggestions=(
            "Stop and reassess the current approach before continuing.",
            "Check if there's a common cause across these failures.",
            SIMILAR,
        ),
        severity="warning",
        timestamp=START,
        calls=(2, 3, 4),
        headline="3 calls failed in a row, the last with: `Syntax error on line 42`. Fix that first.",
    )


def test_length_is_that_of_the_whole_streak_and_the_last_five_are_cited():
    assessment = observe(*[failed(error=f"e{n}") for n in range(1, 41)])
    assert assessment.observations == (
        Observation(
            "Error Cascade",
            "40 consecutive tool calls have failed.",
            "\n".join(f"#{n}: Bash - e{n}" for n in range(36, 41)),
        ),
    )


def test_success_ends_it():
    assert observe(*[failed()] * 5, ok()).says_something is False


def test_batch_that_fails_as_one_is_one_failure():
    assert not wants(*[failed(batch_id="b")] * 6)
    assessment = observe(*[failed(batch_id=name) for name in "aabbcc"])
    assert (
        assessment.observations[0].description
        == "3 consecutive decisions have failed; calls made in parallel count as one."
    )
    assert assessment.headline == "3 rounds of calls failed in a row, the last with: `boom`. Fix that first."


@pytest.mark.parametrize("outcome", ["rejection", "denial", "cancelled", "provider"])
def test_what_is_not_the_agents_failure_is_neither_counted_nor_cited(outcome):
    other = failed(error="not mine", outcome=outcome)
    assert not wants(failed(), other, failed(), other)
    assert "not mine" not in observe(failed(), other, failed(), failed()).render()


def test_different_errors_are_not_called_similar():
    assert SIMILAR not in observe(failed(error="a"), failed(error="b"), failed(error="a")).suggestions


def test_tests_that_passed_in_between_end_it():
    passed = ok("Bash", "command=./run_tests.sh", failures=0)
    assert not wants(failed(), failed(), passed, failed(), failed())
    assert observe(failed(), failed(), passed, *[failed()] * 3).calls == (4, 5, 6)


def test_call_that_only_waits_is_neither_counted_nor_cited():
    assessment = observe(failed(), failed(polls=True), failed(), failed())
    assert (assessment.calls, assessment.summary.split(".")[0]) == ((1, 3, 4), "Detected 3 consecutive failures")
