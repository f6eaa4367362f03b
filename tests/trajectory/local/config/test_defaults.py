"""The default set of observers."""

from __future__ import annotations

from trajectory.local import DEFAULT_OBSERVERS, ObserverTrigger
from trajectory.local.engine import triggers

NAMES = [config.name for config in DEFAULT_OBSERVERS]


def test_each_observer_is_there_once() -> None:
    assert NAMES == [
        "Repeated Call",
        "Polling",
        "Cycle",
        "Stagnation",
        "Same Error",
        "Edit Thrash",
        "Edit-Test Loop",
        "Edits Without Effect",
        "Recreated File",
        "Read Again",
        "Test Trend",
        "Error Cascade Detector",
        "Error Rate Monitor",
        "No Change",
        "Ignored Feedback",
    ]
    assert [key for key, _ in triggers.keyed(DEFAULT_OBSERVERS)] == NAMES


def test_only_the_last_one_is_kept_from_the_agent() -> None:
    assert [config.name for config in DEFAULT_OBSERVERS if not config.tell] == NAMES[-1:]


def test_no_observer_is_triggered_later_than_its_own_threshold() -> None:
    late = [
        config.name
        for config in DEFAULT_OBSERVERS
        for threshold in ("repetition_threshold", "poll_threshold", "caution_threshold", "error_threshold")
        if config.trigger.after_repeats
        and config.trigger.after_repeats > getattr(config.observer, threshold, config.trigger.after_repeats)
    ]
    assert late == []


def test_observer_without_repetition_runs_at_errors_at_intervals_or_beside_the_others() -> None:
    assert {config.name: config.trigger for config in DEFAULT_OBSERVERS[-4:]} == {
        "Error Cascade Detector": ObserverTrigger(after_consecutive_errors=3),
        "Error Rate Monitor": ObserverTrigger(every_n_calls=8),
        "No Change": ObserverTrigger(every_n_calls=8),
        "Ignored Feedback": ObserverTrigger(while_told=True),
    }
    assert all(config.trigger.after_repeats for config in DEFAULT_OBSERVERS[:-4])
