"""When counts and findings are reset: a person speaks, a session ends or is silent."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.support.rows.tool_calls import START, Run, failed, ok
from trajectory.local import ErrorCascadeDetector, ObserverConfig, ObserverTrigger, Pace, RepeatCall, ToolCallRecord
from trajectory.local.engine import turns

CASCADE = ObserverConfig(ErrorCascadeDetector(), ObserverTrigger(after_consecutive_errors=3))
REPEATS = ObserverConfig(RepeatCall(), ObserverTrigger(after_repeats=3))


def makes(n: int, turn: str = "", minutes: int = 0) -> list[ToolCallRecord]:
    """`n` equal calls that fail alike, the first of them `minutes` after the start."""
    moment = START + timedelta(minutes=minutes)
    return [failed(turn=turn, args_hash="make", result_key="boom", timestamp=moment) for _ in range(n)]


def test_failures_of_the_turn_before_belong_to_no_streak(tmp_path: Path) -> None:
    run = Run(tmp_path, CASCADE)
    assert run.calls(*makes(2, "1"), *makes(2, "2")) == []
    assert run.calls(*makes(1, "2")) == [1]


def test_finding_ends_when_a_person_speaks_and_is_news_again_with_new_calls(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    assert run.calls(*makes(3, "1")) == [3]
    assert run.calls(*makes(2, "2")) == []
    assert run.written() == ""
    assert run.calls(*makes(1, "2")) == [1]
    assert "failed 3 times" in run.written()


def test_budget_is_watched_across_turns(tmp_path: Path) -> None:
    run = Run(tmp_path, ObserverConfig(Pace(calls=10), ObserverTrigger(on_every_call=True)))
    assert run.calls(*[ok(turn=f"{n}") for n in range(6)]) == []
    assert [finding.identity for finding in run.call(ok(turn="7"))] == ["Budget: calls 30%"]
    assert run.call(ok(turn="8")) == ()


def test_finding_ends_with_half_an_hour_of_silence_and_earlier_calls_are_no_evidence(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    assert run.calls(*makes(3), *makes(2, minutes=30)) == [3]
    assert run.written() == ""
    assert run.calls(*makes(1, minutes=30)) == [1]


def test_finding_stays_within_half_an_hour(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    run.calls(*makes(3), *makes(1, minutes=29))
    assert "failed 4 times" in run.written()


def test_ended_findings_are_closed_and_their_calls_spent(tmp_path: Path) -> None:
    run = Run(tmp_path, REPEATS)
    run.calls(*makes(3))
    turns.end_findings(run.session, 3)
    memory = run.session.progress["Repeated Call"]
    assert (memory.standing, memory.ignore_evidence_before) == (None, 3)
