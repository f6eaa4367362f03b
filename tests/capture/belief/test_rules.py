"""Which learnings are believed, by source, score, sightings and age."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any, get_args

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from capture.belief import rules, thresholds
from capture.belief.explanation import explain
from capture.belief.rules import (
    HALF_LIVES,
    MAX_SIGHTINGS,
    MOST_LEADING,
    SIGHTING,
    UNUSED_AFTER,
    Judgement,
    Leading,
    Verdict,
    judge,
    judged,
    judged_by_key,
    judgement,
    leading,
)
from capture.belief.sources import SOURCES
from capture.models import (
    Capture,
    CaptureState,
    Contradiction,
    Learning,
    LearningChange,
    LearningSource,
    LearningUsage,
)
from memoryserver.accounts.models import User
from memoryserver.statements.compiled import CompiledRows


def learn(user: User, content: str = "Use uv", *, days: float = 0, **changes: Any) -> Learning:
    seen = timezone.now() - timedelta(days=days)
    fields = {"type": "correction", "confidence": 0.8, "first_seen": seen, "last_seen": seen, **changes}
    return Learning.objects.create(user=user, content=content, **fields)


def judgement_on(row: Learning) -> Judgement:
    return judgement(judged(Learning.objects.filter(pk=row.pk)).get())


@pytest.mark.parametrize("type", ["correction", "solution"])
@pytest.mark.parametrize("source", SOURCES)
def test_threshold_of_its_source_and_type_decides(source: str, type: str, alice: User) -> None:  # noqa: A002
    threshold = thresholds.threshold(source, type)
    below, above = (learn(alice, source=source, type=type, confidence=threshold + step) for step in (-0.01, 0.01))

    assert (judgement_on(below).verdict, judgement_on(above).verdict) == ("doubted", "believed")


@pytest.mark.parametrize(
    "content", ["The root cause was a lock.", "the problem for us was a lock", "The cause is a lock"]
)
def test_database_and_threshold_agree_on_what_a_found_cause_is(content: str, alice: User) -> None:
    threshold = thresholds.threshold("stated", "solution", content)
    row = learn(alice, content, source="stated", type="solution", confidence=threshold - 0.01)

    assert (judgement_on(row).verdict, judgement_on(row).threshold) == ("doubted", threshold)
    Learning.objects.update(confidence=threshold + 0.01)
    assert judgement_on(row).verdict == "believed"


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
    assert judgement_on(learn(alice, **changes)).belief == pytest.approx(odds / (1 + odds), abs=1e-3)


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

    assert judgement_on(row).verdict == expected
    assert leading(Learning.objects.all()) == (
        Leading([row.pk], []) if expected in ("pinned", "believed") else Leading([], [row.pk])
    )


def test_weight_is_that_of_the_type_times_the_belief(alice: User) -> None:
    rows = [learn(alice, type=name) for name in ("correction", "learning", "of the future")]

    assert [judgement_on(row).weight for row in rows] == pytest.approx([0.8, 0.6 * 0.8, 0.3 * 0.8], abs=1e-3)


def test_pinned_come_first_then_the_weightiest(alice: User) -> None:
    light, heavy = learn(alice, type="learning", confidence=0.9), learn(alice, confidence=0.9)
    pinned = learn(alice, confidence=0.1, type="outcome", pinned=True)

    assert leading(Learning.objects.all()).believed == [pinned.pk, heavy.pk, light.pk]


@pytest.fixture
def various(alice: User) -> list[Learning]:
    """Learnings of all verdicts, the last three hidden by a person, merged, and withdrawn by the agent.

    Their confidences differ, since equal weights come in one order or the other by the moment of the statement.
    """
    now = timezone.now()
    rows = [
        learn(alice, f"{source} {kind} {days}", source=source, type=kind, days=days, confidence=confidence + n / 1000)
        for n, (source, kind) in enumerate(product(SOURCES, ("correction", "solution", "of the future")))
        for days, confidence in ((0, 0.97), (100, 0.9), (200, 0.4))
    ]
    used, contradicted, report, rejected, pinned, provisional, hidden, merged, withdrawn = (
        learn(alice, f"special {number}", confidence=0.9 + number / 1000) for number in range(9)
    )
    LearningUsage.objects.create(learning=used, shown=UNUSED_AFTER)
    Contradiction.objects.create(earlier=contradicted, later=used, reason="value")
    state = CaptureState.objects.create(user=alice, context_id="c", last_activity_at=now)
    captured = Capture.objects.create(
        state=state, capture_id=uuid.uuid4(), captured_at=now, first_message_index=0, last_message_index=1,
        compaction_number=0,
    )  # fmt: skip
    LearningSource.objects.create(learning=provisional, capture=captured, message_index=1)
    for row, changes in (
        (report, {"is_report": True}),
        (rejected, {"judge_verdict": "rejected"}),
        (pinned, {"pinned": True}),
        (hidden, {"hidden": True}),
        (merged, {"merged_into": used}),
        (withdrawn, {"hidden": True}),
    ):
        Learning.objects.filter(pk=row.pk).update(**changes)
    for row, what in ((hidden, LearningChange.What.HIDDEN), (withdrawn, LearningChange.What.WITHDRAWN)):
        LearningChange.objects.create(learning=row, what=what)
    return [*rows, used, contradicted, report, rejected, pinned, provisional, hidden, merged, withdrawn]


def test_rows_are_judged_one_by_one_as_a_queryset_is(various: list[Learning]) -> None:
    expected = {row.pk: judgement(row) for row in judged(Learning.objects.all())}

    found = {row.pk: judgement(row) for row in judge(Learning.objects.all())}

    assert {each.verdict for each in expected.values()} == set(get_args(Verdict))
    assert [found[row.pk].withdrawn for row in various[-3:]] == [False, False, True]
    for row in various:
        before, after = expected[row.pk], found[row.pk]  # the row is a moment older
        assert (after.belief, after.weight) == pytest.approx((before.belief, before.weight), rel=1e-6)
        assert replace(after, belief=before.belief, weight=before.weight) == before


def test_row_that_is_gone_is_not_judged(alice: User) -> None:
    gone, there = learn(alice, "Use pip"), learn(alice)
    rows = list(Learning.objects.order_by("pk"))
    Learning.objects.filter(pk=gone.pk).delete()

    assert judge(rows) == [there]


def test_rows_by_key_are_the_shown_ones_and_have_all_that_a_context_says_of_them(
    various: list[Learning], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    shown = Learning.objects.filter(hidden=False, merged_into=None)
    expected = {row.pk: judgement(row).verdict for row in judge(shown)}

    with django_assert_num_queries(1):
        found = judged_by_key([row.pk for row in various])
        lines = [(row.type, row.content, row.pinned, explain(row, judgement(row))) for row in found]

    assert {row.pk: judgement(row).verdict for row in found} == expected
    assert sorted(line[1] for line in lines) == sorted(shown.values_list("content", flat=True))


@pytest.mark.parametrize("most", [MOST_LEADING, 3])
def test_leading_are_the_first_of_all_that_are_judged(
    most: int, various: list[Learning], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_LEADING", most)
    monkeypatch.setattr(rules, "_LEADING", CompiledRows(rules._placed))
    rows = sorted(
        judged(Learning.objects.exclude(type="solution")),
        key=lambda row: (row.pinned, judgement(row).weight, row.pk),
        reverse=True,
    )

    assert leading(Learning.objects.exclude(type="solution")) == Leading(
        [row.pk for row in rows if judgement(row).in_context][:most],
        [row.pk for row in rows if not judgement(row).in_context][:most],
    )
