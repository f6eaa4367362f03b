from __future__ import annotations

from typing import Any

import pytest

from capture.judge import budget
from capture.judge.models import JudgeDay


@pytest.mark.django_db
def test_requests_and_learnings_of_a_day_are_limited(settings: Any) -> None:
    settings.LLM_CALLS_PER_DAY, settings.LLM_CANDIDATES_PER_DAY = 3, 25

    assert [budget.reserve(count) for count in (20, 20, 20)] == [20, 5, 0]
    assert JudgeDay.objects.values_list("calls", "candidates").get() == (2, 25)


@pytest.mark.django_db
@pytest.mark.parametrize(("calls", "candidates"), [(0, 10), (10, 0)], ids=["no requests", "no learnings"])
def test_budget_of_nothing_allows_nothing(calls: int, candidates: int, settings: Any) -> None:
    settings.LLM_CALLS_PER_DAY, settings.LLM_CANDIDATES_PER_DAY = calls, candidates

    assert budget.reserve(1) == 0
