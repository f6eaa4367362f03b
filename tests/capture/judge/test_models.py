from __future__ import annotations

from datetime import date

from capture.judge.models import JudgeDay


def test_day_says_what_was_used() -> None:
    assert str(JudgeDay(day=date(2026, 11, 20), calls=2, candidates=40)) == "2026-11-20: 2 calls, 40 candidates"
