from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from capture import sink
from capture.belief import usage
from capture.home import cards, figures, health, steps, tiles
from capture.models import CaptureFailure, CaptureState, Learning
from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import PageScope
from tests.capture.test_sink import capture, learning


@pytest.fixture
def scope(alice: User, shared_project: Project) -> PageScope:
    sink.store(
        alice, shared_project, capture(learning(confidence=0.95), learning("All 66 tests pass.", confidence=0.2))
    )
    now = timezone.now()
    now -= timedelta(days=(now.weekday() - 2) % 7)  # a Wednesday: with a day before it in the same week
    CaptureState.objects.update(message_count=30, last_activity_at=now - timedelta(hours=1), settled_until=now)
    Learning.objects.update(first_seen=now - timedelta(days=1), last_seen=now - timedelta(days=1))
    for number in range(3):
        last_activity_at = now - timedelta(days=1 + 7 * number)
        CaptureState.objects.create(
            user=alice, context_id=f"c-{number}", message_count=30, last_activity_at=last_activity_at
        )
    return PageScope(alice, "", 7, now)


def test_tile_has_the_share_of_sessions_with_learnings(scope: PageScope) -> None:
    (tile,) = tiles(scope)
    assert (tile.value, tile.note) == ("50 %", "1 of 2 transcripts; the aim is over 50 %")
    assert tile.weeks == [*[None] * 9, 0.0, 0.0, 50.0]


def test_learned_lately_has_what_is_believed(scope: PageScope) -> None:
    (learned,) = cards(scope)
    assert [row.confidence for row in learned.context["learnings"]] == [0.95]


def test_pinned_learning_comes_first(scope: PageScope) -> None:
    Learning.objects.exclude(confidence=0.95).update(pinned=True, hidden=False)
    (learned,) = cards(scope)
    assert [(row.pinned, row.confidence == 0.95) for row in learned.context["learnings"]] == [
        *[(True, False)] * Learning.objects.filter(pinned=True).count(),
        (False, True),
    ]


def test_usage_counts_each_learning_once_and_no_quotation_of_one_that_nobody_was_told(scope: PageScope) -> None:
    first, second = Learning.objects.values_list("pk", flat=True)
    usage.count("opened", [first])
    usage.count("opened", [first])
    usage.count("quoted", [first, second])

    (used,) = figures(scope)

    assert used.context == {"learnings": 2, "shown": 0, "returned": 0, "opened": 1, "quoted": 1}
    assert [line.text for line in used.lines] == [
        "Of 2 learnings, 0 were ever put into a session, 0 returned by a search, 1 opened, and 1 said again after that."
    ]


def test_health_names_what_was_not_stored(scope: PageScope, alice: User, charlie: User) -> None:
    good = [(part.good, part.text) for part in health(scope)]
    CaptureFailure.objects.create(user=alice, reason="broken", failed_at=timezone.now())
    bad = [(part.good, part.text) for part in health(scope)]
    none = [(part.good, part.text) for part in health(PageScope(charlie, "", 7, scope.now))]
    assert good == [(True, "capture: every queue file of yours is stored")]
    assert bad == [(False, "1 queue file was not stored")]
    assert none == [(False, "capture: no transcript seen yet")]


def test_step_is_done_with_the_first_transcript(scope: PageScope, charlie: User) -> None:
    assert [steps(each)[0].done for each in (scope, PageScope(charlie, "", 7, scope.now))] == [True, False]
