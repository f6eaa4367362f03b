from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture.belief.explanation import explain
from capture.belief.rules import judged, judgement
from capture.models import Learning, LearningChange
from memoryserver.accounts.models import User

OBSERVED = "observed in what happened with confidence 0.80, seen 2 times, last yesterday: belief 0.84, 0.80 needed"
STATED = "stated with confidence 0.50, seen once, last 27 days ago: belief 0.48, 0.80 needed"
AGENT = "stored by an agent or a person with confidence 0.80, seen once, last today: belief 0.80, 0.30 needed"


@pytest.mark.parametrize(
    ("changes", "days", "verdict", "evidence"),
    [
        ({"source": "observed", "seen_count": 2}, 1, "believed", OBSERVED),
        ({"confidence": 0.5}, 27, "not believed", STATED),
        ({"is_report": True, "source": "agent"}, 0, "a status report, which never enters a context", AGENT),
    ],
    ids=["observed twice", "doubted", "report"],
)
def test_reasons_name_the_verdict_and_its_figures(
    changes: dict[str, Any], days: int, verdict: str, evidence: str, alice: User
) -> None:
    seen = timezone.now() - timedelta(days=days)
    fields = {"confidence": 0.8, "first_seen": seen, "last_seen": seen, **changes}
    Learning.objects.create(user=alice, type="learning", content="Use uv", **fields)
    row = judged(Learning.objects.all()).get()

    assert explain(row, judgement(row)) == f"{verdict}; {evidence}"


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        (["hidden"], "hidden by a person"),
        (["withdrawn"], "hidden, since the agent took it back in the same session"),
        (["withdrawn", "shown", "hidden"], "hidden by a person"),
    ],
    ids=["person", "agent", "shown again and hidden by a person"],
)
def test_hidden_learning_says_who_hid_it(changes: list[str], verdict: str, alice: User) -> None:
    now = timezone.now()
    learning = Learning.objects.create(
        user=alice, type="learning", content="Use uv", confidence=0.8, first_seen=now, last_seen=now, hidden=True
    )
    for what in changes:
        LearningChange.objects.create(learning=learning, what=what)
    row = judged(Learning.objects.all()).get()

    assert explain(row, judgement(row)).partition(";")[0] == verdict
