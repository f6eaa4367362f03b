"""What counts as a use of a learning, and that unused ones sink."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from capture import sink
from capture.belief.rules import UNUSED_AFTER, judged, judgement
from capture.belief.usage import Use, count, was_given
from capture.models import Learning, LearningUsage
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import CONTENT, capture, learning


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    sink.store(alice, shared_project, capture(learning(), captured_at=timezone.now() - timedelta(days=1)))
    return Learning.objects.get()


def uses(row: Learning) -> tuple[int, ...]:
    return LearningUsage.objects.values_list("shown", "returned", "opened", "quoted").get(learning=row)


def test_wording_that_comes_again_after_it_was_shown_is_a_quotation(row: Learning, alice: User) -> None:
    sink.store(alice, row.project, capture(learning(), number=2))
    count("shown", [row.pk])
    sink.store(alice, row.project, capture(learning(), number=3))

    assert (uses(row), Learning.objects.get().seen_count) == ((1, 0, 0, 1), 3)


def test_any_number_of_learnings_is_counted_in_one_statement(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    fields = {"user": alice, "type": "learning", "confidence": 0.9, "first_seen": now, "last_seen": now}
    rows = [Learning.objects.create(content=f"{CONTENT} {number}", **fields) for number in range(20)]

    with django_assert_num_queries(3):  # with those of the savepoint
        count("shown", [*(row.pk for row in rows), rows[0].pk, 10**12])
    count("returned", [rows[0].pk])
    count("returned", [rows[0].pk])
    count("returned", [])

    assert sorted(LearningUsage.objects.values_list("shown", "returned")) == [(1, 0)] * 19 + [(1, 2)]


def test_contexts_of_one_day_count_once_and_days_in_their_order(row: Learning) -> None:
    today = timezone.now().date()
    counted = []
    for days_ago in (4, 4, 2, 3, 0, 0):  # that of 3 days ago became known too late
        count("shown", [row.pk], today - timedelta(days=days_ago))
        counted.append(uses(row)[0])
    count("shown", [row.pk])

    assert (counted, uses(row)[0]) == ([1, 1, 2, 2, 3, 3], 3)


def test_learning_is_followed_at_most_once_a_day(row: Learning) -> None:
    for _ in range(3):
        count("followed", [row.pk])
    LearningUsage.objects.update(followed_on=timezone.now().date() - timedelta(days=2))
    count("followed", [row.pk])
    count("shown", [row.pk])

    assert LearningUsage.objects.values_list("followed", "shown", "contradicted").get() == (2, 1, 0)


def test_learnings_that_were_given_are_those_shown_or_returned(alice: User) -> None:
    now = timezone.now()
    fields = {"user": alice, "type": "learning", "confidence": 0.9, "first_seen": now, "last_seen": now}
    keys = [Learning.objects.create(content=f"{CONTENT} {number}", **fields).pk for number in range(4)]
    for use, key in zip(("shown", "returned", "opened"), keys, strict=False):
        count(cast("Use", use), [key])

    assert was_given([*reversed(keys), 10**12]) == keys[:2]


@pytest.mark.parametrize(
    ("shown", "used", "odds"),
    [
        (UNUSED_AFTER - 1, [], 9.0),
        (UNUSED_AFTER, [], 4.5),
        (UNUSED_AFTER, ["opened"], 9.0),
        (UNUSED_AFTER, ["followed"], 9.0),
        (UNUSED_AFTER, ["contradicted"], 4.5),
    ],
    ids=["seldom shown", "often shown, unused", "often shown, opened", "followed", "contradicted"],
)
def test_unused_learning_sinks(shown: int, used: list[Any], odds: float, alice: User) -> None:
    now = timezone.now()
    row = Learning.objects.create(
        user=alice, type="learning", content=CONTENT, confidence=0.9, first_seen=now, last_seen=now
    )
    LearningUsage.objects.create(learning=row, shown=shown)
    for use in used:
        count(use, [row.pk])

    belief = judgement(judged(Learning.objects.all()).get()).belief
    assert belief == pytest.approx(odds / (1 + odds), abs=1e-3)
