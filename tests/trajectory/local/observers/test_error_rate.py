"""ErrorRateMonitor: many failures, though not in a row."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import START, context_of, failed, ok, session_of
from trajectory.local import Assessment, ErrorRateMonitor, Observation


def observe(*calls, **settings) -> Assessment:
    session = session_of(*calls)
    return ErrorRateMonitor(**settings).observe(session, context=context_of(session))


def test_half_of_twelve_is_a_caution_with_its_errors():
    assert observe(*[failed(error="no"), ok()] * 6) == Assessment(
        observer_name="Error Rate Monitor",
        summary="6 of 12 recent calls failed (50%).",
        observations=(
            Observation(
                "Elevated Error Rate",
                "6/12 recent calls failed (50%): `Bash` 6.",
                "\n".join(f"#{n}: Bash - no" for n in (3, 5, 7, 9, 11)),
            ),
        ),
        suggestions=("Review the error messages carefully - there may be a common root cause.",),
        severity="caution",
        timestamp=START,
        calls=(1, 3, 5, 7, 9, 11),
        headline="6 of 12 recent calls failed, the last with: `no`. Look for a cause that they share.",
    )


def test_fewer_than_half_are_no_finding():
    assert observe(*[failed(), ok()] * 5, ok(), ok()).says_something is False


def test_sample_below_the_minimum_is_no_rate():
    assert observe(*[failed()] * 7).says_something is False
    assert observe(*[failed()] * 8).says_something is True


def test_calls_that_say_nothing_of_the_agent_do_not_fill_the_sample():
    session = session_of(*[failed()] * 7, *[failed(outcome="denial")] * 5)
    assert not ErrorRateMonitor().should_run(session, context=context_of(session))


@pytest.mark.parametrize(
    "settings",
    [{"minimum_sample": 0}, {"minimum_sample": 13}, {"rate_threshold": 0}, {"rate_threshold": 1.1}],
)
def test_figures_that_can_never_be_reached_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        ErrorRateMonitor(**settings)
