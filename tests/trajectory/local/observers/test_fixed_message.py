"""FixedMessage: a text that is reported whenever the trigger is met."""

from __future__ import annotations

import pytest

from tests.support.rows.tool_calls import START, ok
from tests.trajectory.local.observers.calls import observe, runs_after
from trajectory.local import Assessment, Observation
from trajectory.local.observers.fixed_message import FixedMessage


def test_message_is_reported_with_its_title_and_severity() -> None:
    assert observe(FixedMessage("Run make check.", "Reminder", "warning"), ok()) == Assessment(
        observer_name="Reminder",
        summary="Run make check.",
        observations=(Observation("Message", "Run make check."),),
        severity="warning",
        timestamp=START,
        identity="Message: Run make check. at #0",
    )


def test_default_is_a_caution_named_message() -> None:
    assessment = observe(FixedMessage("Look."), ok())
    assert (assessment.observer_name, assessment.severity) == ("Message", "caution")


def test_nothing_is_reported_between_two_triggers() -> None:
    assessment = observe(FixedMessage("Look."), ok(), due=False)
    assert (assessment.says_something, assessment.observations, assessment.severity) == (False, (), "info")


def test_it_always_runs() -> None:
    assert runs_after(FixedMessage("Look.")) is True


@pytest.mark.parametrize(("message", "title"), [("", "Title"), (" \n", "Title"), ("Look.", ""), ("Look.", " ")])
def test_empty_text_or_title_is_refused(message: str, title: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        FixedMessage(message, title)
