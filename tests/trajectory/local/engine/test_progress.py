"""What is remembered of one observer: its counters, its open finding, and what the agent was notified of."""

from __future__ import annotations

import json

import pytest

from memoryserver.common.light import replace
from tests.support.rows.tool_calls import START
from trajectory.local import (
    Assessment,
    Observation,
    Severity,
)
from trajectory.local.engine import progress
from trajectory.local.engine.progress import ObserverProgress


def finding(identity: str = "loop", severity: Severity = "caution") -> Assessment:
    seen = (Observation("Loop", "Seen.", "#1"),)
    return Assessment("Watcher", "Seen.", seen, severity=severity, timestamp=START, identity=identity)


def notified(*calls: int, severity: Severity = "caution") -> ObserverProgress:
    """The memory after the agent was notified of one finding at these calls."""
    memory = ObserverProgress()
    for call in calls:
        memory = memory.after_observing(finding(severity=severity), call).after_notifying(
            finding(severity=severity), call
        )
    return memory


def test_run_counts_and_keeps_when_it_was() -> None:
    memory = ObserverProgress().ran(7, START, answered_streak=3).ran(9, START, answered_streak=5)
    assert memory == ObserverProgress(
        last_assessment_call_index=9, last_assessment_time=START, total_assessments=2, answered_streak=5
    )


def test_third_failure_in_a_row_gives_the_observer_up() -> None:
    memory, given_up = ObserverProgress(), []
    for _ in range(3):
        memory = memory.failed("ValueError: no")
        given_up.append(memory.given_up)
    assert given_up == [False, False, True]


def test_run_that_ends_well_starts_the_count_of_failures_again() -> None:
    memory = ObserverProgress().failed("a").failed("b").after_observing(None, 3).failed("c")
    assert (memory.failures, memory.failures_in_a_row, memory.given_up) == (3, 1, False)


def test_failure_closes_the_finding_and_is_kept_as_one_bounded_line() -> None:
    memory = ObserverProgress().after_observing(finding(), 3).failed("one\ntwo\x00 " + "x" * 300)
    assert (memory.standing, len(memory.last_failure), "\n" in memory.last_failure) == (None, 200, False)


def test_finding_is_news_until_the_agent_was_notified() -> None:
    assert ObserverProgress().is_news(finding(), 1) is True
    assert notified(1).is_news(finding(), 2) is False


def test_info_is_never_news() -> None:
    assert ObserverProgress().is_news(finding(severity="info"), 1) is False


def test_same_finding_is_news_again_after_twenty_calls() -> None:
    assert [notified(5).is_news(finding(), call) for call in (24, 25)] == [False, True]


def test_worse_finding_is_news_at_once_and_a_better_one_is_not() -> None:
    assert notified(5).is_news(finding(severity="warning"), 6) is True
    assert notified(5, severity="warning").is_news(finding(severity="caution"), 6) is False


def test_finding_that_was_reported_often_is_news_again_after_twenty_calls() -> None:
    assert [notified(1, 30, 60, 90).is_news(finding(), call) for call in (109, 110)] == [False, True]


def test_finding_that_ended_and_comes_back_was_not_reported_yet() -> None:
    memory = notified(3).after_observing(None, 8).after_observing(finding(), 12)
    assert (memory.agent_was_notified(), memory.after_notifying(finding(), 30).told_since) == (False, 30)


def test_what_was_known_is_looked_up_once_for_each_time_that_a_finding_is_open() -> None:
    memory = replace(notified(3), reminded=True)
    assert memory.after_observing(finding(), 4).reminded is True
    assert memory.after_observing(None, 4).after_observing(finding(), 9).reminded is False


def test_reset_memory_has_no_finding_and_no_notifications_but_its_counters() -> None:
    memory = notified(3, 40).ran(40, START, answered_streak=2).failed("no").reset(41)
    assert memory == replace(ObserverProgress(ignore_evidence_before=41).ran(40, START, answered_streak=2).failed("no"))


def test_other_finding_is_news() -> None:
    assert notified(5).is_news(finding("another"), 6) is True


def test_finding_is_open_and_reported_once_the_agent_was_notified() -> None:
    assert ObserverProgress().after_observing(finding(), 3).agent_was_notified() is False
    assert notified(3).agent_was_notified() is True
    assert notified(3).after_observing(finding("another"), 4).agent_was_notified() is False


def test_evidence_is_ignored_once_a_reported_finding_is_over() -> None:
    assert notified(3).after_observing(None, 8).ignore_evidence_before == 8
    assert ObserverProgress().after_observing(finding(), 3).after_observing(None, 8).ignore_evidence_before == 0


def test_first_notification_of_an_open_finding_is_kept() -> None:
    assert (notified(3, 40).told_since, notified(3, 40).told_at) == (3, 40)


@pytest.mark.parametrize(
    "memory",
    [ObserverProgress(), notified(3, 40), notified(3).ran(4, START, answered_streak=2).failed("no")],
    ids=["new", "notified", "failed"],
)
def test_memory_comes_back_from_json(memory: ObserverProgress) -> None:
    assert progress.from_row(json.loads(json.dumps(progress.to_row(memory)))) == memory


def test_memory_that_version_0_1_wrote_is_read() -> None:
    row = {"told_severity": "warning", "used_up": 7, "told_at": 3}
    assert progress.from_row(row) == ObserverProgress(ignore_evidence_before=7, told_at=3)


@pytest.mark.parametrize("row", [{"no": 1}, {"standing": {"no": 1}}, {"told": [["a"]]}, {"last_assessment_time": "no"}])
def test_damaged_row_is_refused(row: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        progress.from_row(row)
