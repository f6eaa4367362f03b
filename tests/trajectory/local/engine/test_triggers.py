"""Triggers are validated when they are made, and met by an observer's own memory."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.rows.tool_calls import START, failed, ok, session_of
from trajectory.local import (
    ErrorCascadeDetector,
    ErrorRateMonitor,
    ObserverConfig,
    ObserverTrigger,
    StallDetector,
    ToolCallRecord,
)
from trajectory.local.engine.progress import ObserverProgress
from trajectory.local.engine.triggers import keyed


@pytest.mark.parametrize("name", ["every_n_calls", "after_consecutive_errors"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "3"])
def test_threshold_that_is_no_positive_whole_number_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1"):
        ObserverTrigger(**{name: value})


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "3"])
def test_seconds_that_are_no_positive_number_are_refused(value):
    with pytest.raises(ValueError, match="every_n_seconds must be a number above 0"):
        ObserverTrigger(every_n_seconds=value)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../a.md", "a/../../b", "a//b", "C:/x", "..\\x", "a\nb", "a/"])
def test_output_path_that_leaves_the_project_is_refused(path):
    with pytest.raises(ValueError, match="output_path must be a file below the project"):
        ObserverConfig(ErrorCascadeDetector(), ObserverTrigger(), output_path=path)


def met(trigger: ObserverTrigger, call: ToolCallRecord | None, progress=None, *, seconds: float = 0) -> bool:
    assert call
    return trigger.is_met(progress or ObserverProgress(), call, START, START + timedelta(seconds=seconds))


def test_trigger_without_a_condition_is_never_met():
    latest = session_of(*[failed()] * 50)[ToolCallRecord].latest()
    assert not met(ObserverTrigger(), latest, seconds=1e6)


def test_any_one_condition_suffices():
    trigger = ObserverTrigger(every_n_calls=15, after_consecutive_errors=3)
    assert met(trigger, session_of(*[failed()] * 3)[ToolCallRecord].latest())
    assert met(trigger, session_of(*[ok()] * 15)[ToolCallRecord].latest())
    assert not met(trigger, session_of(*[ok()] * 14)[ToolCallRecord].latest())


def test_streak_that_was_answered_does_not_trigger_again():
    trigger = ObserverTrigger(after_consecutive_errors=3)
    latest = session_of(*[failed()] * 8)[ToolCallRecord].latest()
    assert not met(trigger, latest, replace(ObserverProgress(), answered_streak=1))


@pytest.mark.parametrize(("seconds", "expected"), [(0, False), (59, False), (60, True), (-1, True)])
def test_seconds_count_from_the_first_call_and_a_clock_set_back_makes_it_due(seconds, expected):
    latest = session_of(ok())[ToolCallRecord].latest()
    assert met(ObserverTrigger(every_n_seconds=60), latest, seconds=seconds) is expected


def test_observers_of_one_name_get_numbered_keys() -> None:
    trigger = ObserverTrigger(every_n_calls=1)
    configs = [ObserverConfig(observer, trigger) for observer in (StallDetector(), ErrorRateMonitor(), StallDetector())]
    assert keyed(configs) == [
        ("Stall Detector", configs[0]),
        (ErrorRateMonitor().name, configs[1]),
        ("Stall Detector #2", configs[2]),
    ]
