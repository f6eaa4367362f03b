"""Which learnings are believed, by source, score, sightings and age."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture.belief import thresholds
from capture.belief.rules import (
    HALF_LIVES,
    MAX_SIGHTINGS,
    SIGHTING,
    Judgement,
    believed,
    judged,
    judgement,
    unbelieved,
)
from capture.belief.sources import SOURCES
from capture.models import Learning
from memoryserver.accounts.models import User


def learn(user: User, content: str = "Use uv", *, days: float = 0, **changes: Any) -> Learning:
    seen = timezone.now() - timedelta(days=days)
    fields = {"type": "correction", "confidence": 0.8, "first_seen": seen, "last_seen": seen, **changes}
    return Learning.objects.create(user=user, content=content, **fields)


def judge(row: Learning) -> Judgement:
    return judgement(judged(Learning.objects.filter(pk=row.pk)).get())


@pytest.mark.parametrize("type", ["correction", "solution"])
@pytest.mark.parametrize("source", SOURCES)
def test_threshold_of_its_source_and_type_decides(source: str, type: str, alice: User) -> None:  # noqa: A002
    threshold = thresholds.threshold(source, type)
    below, above = (learn(alice, source=source, type=type, confidence=threshold + step) for step in (-0.01, 0.01))

    assert (judge(below).verdict, judge(above).verdict) == ("doubted", "believed")


@pytest.mark.parametrize(
    "content", ["The root cause was a lock.", "the problem for us was a lock", "The cause is a lock"]
)
def test_database_and_threshold_agree_on_what_a_found_cause_is(content: str, alice: User) -> None:
    threshold = thresholds.threshold("stated", "solution", content)
    row = learn(alice, content, source="stated", type="solution", confidence=threshold - 0.01)

    assert (judge(row).verdict, judge(row).threshold) == ("doubted", threshold)
    Learning.objects.update(confidence=threshold + 0.01)
    assert judge(row).verdict == "believed"


@pytest.mark.parametrize(
    ("changes", "odds"),
    [
        ({}, 4.0),
        ({"confidence": 0.5}, 1.0),
        ({"confidence": 1.0}, 99.0),
        ({"confidence": 0.0}, 1 / 99),
        ({"seen_count": 3}, 4.0 * SIGHTING**2),
        ({"seen_count": 1_000_000}, 4.0 * SIGHTING**MAX_SIGHTINGS),
        ({"source": "stated", "days": HALF_LIVES["stated"]}, 2.0),
        ({"source": "agent", "days": HALF_LIVES["agent"]}, 2.0),
        ({"days": -400}, 4.0),
        ({"days": 365 * 1_000}, 0.0),
    ],
    ids=[
        "confidence",
        "even odds",
        "certain",
        "impossible",
        "seen three times",
        "seen very often",
        "stated long ago",
        "agent's of long ago",
        "in the future",
        "a thousand years old",
    ],
)
def test_belief_follows_the_formula(changes: dict[str, Any], odds: float, alice: User) -> None:
    assert judge(learn(alice, **changes)).belief == pytest.approx(odds / (1 + odds), abs=1e-3)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"is_report": True, "confidence": 1.0, "source": "agent"}, "report"),
        ({"is_report": True, "pinned": True}, "pinned"),
        ({"confidence": 0.1, "pinned": True}, "pinned"),
        ({"hidden": True, "pinned": True}, "hidden"),
        ({"confidence": 0.1}, "doubted"),
        ({"confidence": 0.9}, "believed"),
    ],
    ids=["report", "pinned report", "pinned doubted", "hidden", "doubted", "believed"],
)
def test_people_decide_before_rules_and_reports_never_enter(
    changes: dict[str, Any], expected: str, alice: User
) -> None:
    row = learn(alice, **changes)

    assert judge(row).verdict == expected
    rows = Learning.objects.all()
    assert [list(believed(rows)), list(unbelieved(rows))] == (
        [[row], []] if expected in ("pinned", "believed") else [[], [row]]
    )


def test_weight_is_that_of_the_type_times_the_belief(alice: User) -> None:
    rows = [learn(alice, type=name) for name in ("correction", "learning", "of the future")]

    assert [judge(row).weight for row in rows] == pytest.approx([0.8, 0.6 * 0.8, 0.3 * 0.8], abs=1e-3)


def test_pinned_come_first_then_the_weightiest(alice: User) -> None:
    light, heavy = learn(alice, type="learning", confidence=0.9), learn(alice, confidence=0.9)
    pinned = learn(alice, confidence=0.1, type="outcome", pinned=True)

    assert list(believed(Learning.objects.all())) == [pinned, heavy, light]
