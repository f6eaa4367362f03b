"""Ignored: the agent was notified of a finding and goes on as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rows.tool_calls import Run, context_of, failed, ok, session_of
from tests.trajectory.local.observers.calls import call, error, is_silent, others
from trajectory.local import Assessment, ObserverConfig, ObserverTrigger, RepeatCall, ToolCallRecord
from trajectory.local.observers.ignored import Ignored

EVERY_CALL = ObserverTrigger(every_n_calls=1)


def findings(root: Path, *records: ToolCallRecord, tell: bool = True, threshold: int = 3) -> Assessment:
    """What Ignored finds after `records`, beside a RepeatCall whose findings the agent gets."""
    run = Run(root, ObserverConfig(RepeatCall(), EVERY_CALL, tell=tell))
    run.calls(*records)
    return Ignored(threshold).observe(run.session, context=context_of(run.session))


def cats(n: int) -> list[ToolCallRecord]:
    return [call("Bash", "cat x", "text") for _ in range(n)]


def test_finding_that_goes_on_for_three_calls_is_a_warning_that_cites_them(tmp_path: Path) -> None:
    assessment = findings(tmp_path, *cats(6))
    assert (assessment.observer_name, assessment.severity, assessment.calls) == (
        "Ignored Feedback",
        "warning",
        (4, 5, 6),
    )
    assert assessment.identity == "Ignored Feedback: Repeated Call Repeated Call: Bash cat x"
    assert assessment.observations[0].evidence == "\n".join(f"#{n}: Bash(cat x)" for n in (4, 5, 6))
    assert all(figure in assessment.summary for figure in ("Repeated Call", "#3", "3 calls"))


def test_two_calls_are_none(tmp_path: Path) -> None:
    assert findings(tmp_path, *cats(5)).says_something is False
    assert findings(tmp_path, *cats(5), threshold=2).says_something is True


def test_other_calls_since_are_not_counted(tmp_path: Path) -> None:
    assert findings(tmp_path, *cats(5), *others(3)).says_something is False


def test_finding_that_the_agent_did_not_get_is_none(tmp_path: Path) -> None:
    assert findings(tmp_path, *cats(8), tell=False).says_something is False


def test_it_ends_when_the_agent_does_something_else(tmp_path: Path) -> None:
    assert findings(tmp_path, *cats(7), *others(4)).says_something is False


def test_it_runs_while_a_reported_finding_is_open(tmp_path: Path) -> None:
    run = Run(tmp_path, ObserverConfig(RepeatCall(), EVERY_CALL))
    runs = []
    for record in [*cats(3), *others(4)]:
        run.call(record)
        runs.append(Ignored().should_run(run.session, context=context_of(run.session)))
    assert runs == [False, False, True, True, True, True, False]


def test_agent_that_went_back_to_it_after_it_was_over_is_not_accused(tmp_path: Path) -> None:
    made = call("Bash", "make", "ok")
    assert findings(tmp_path, *cats(3), *others(2), made, *others(3), *cats(4)).says_something is False


def test_calls_before_a_change_are_another_attempt(tmp_path: Path) -> None:
    change = call("Edit", "a.py", "updated", changes=True)
    assert findings(tmp_path, *cats(5), change, *cats(2)).says_something is False
    assert findings(tmp_path, *cats(3), change, *cats(3)).says_something is True


def test_agent_that_lost_the_message_to_a_compaction_is_not_accused(tmp_path: Path) -> None:
    failing = [error("Bash", "make", "no rule", compactions=n) for n in (0, 0, 0, 1, 1, 1)]
    assert findings(tmp_path, *failing).says_something is False
    assert findings(tmp_path, *[error("Bash", "make", "no rule", compactions=2)] * 6).says_something is True


def test_session_without_observers_has_nothing_to_ignore() -> None:
    assert is_silent(Ignored(), ok(), failed())
    assert Ignored().should_run(session_of(ok()), context=context_of(session_of(ok()))) is False


def test_threshold_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="call_threshold must be a number above 0"):
        Ignored(0)
