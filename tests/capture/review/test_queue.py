"""The review of learnings: what waits, and decisions with their undoing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from capture import curation, sink
from capture.models import CaptureState, Learning
from capture.review import queue
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning

EVERYTHING = Q()
SAID = ("Run the linter before every commit here", "The backup holds the lock of the export", "Tests need DATABASE_URL")


def stored(user: User, project: Project | None, *contents: str, hours: int = 0) -> list[int]:
    """Learnings of a session that is over, the first one said last; their keys."""
    now = timezone.now() - timedelta(days=1, hours=hours)
    said = [
        learning(content, source_message_index=number, time=now - timedelta(minutes=number))
        for number, content in enumerate(contents)
    ]
    sink.store(user, project, capture(*said, captured_at=now, number=hours + 1))
    CaptureState.objects.update(settled_until=timezone.now())
    return [Learning.objects.get(content=content).pk for content in contents]


def waits(user: User) -> list[int]:
    """The keys of what waits, in their order."""
    found: list[int] = []
    key = None
    while (waiting := queue.waiting(user, EVERYTHING, key)).learning is not None:
        found.append(waiting.learning.pk)
        key = waiting.next_key
        if key is None:
            break
    return found


def test_newest_comes_first_and_each_is_followed_by_the_next(alice: User) -> None:
    keys = stored(alice, None, *SAID)

    assert waits(alice) == keys
    assert queue.waiting(alice, EVERYTHING).count == 3
    assert queue.waiting(alice, EVERYTHING, keys[2]) == queue.Waiting(Learning.objects.get(pk=keys[2]), 3, None)


def test_count_is_capped_at_the_most_that_are_counted() -> None:
    assert [queue.Waiting(None, count, None).is_capped for count in (999, 1000)] == [False, True]


def test_lead_reviews_the_team_s_and_members_their_own(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    (key,) = stored(bob, shared_project, SAID[0])

    assert [waits(user) for user in (alice, bob, charlie)] == [[key], [key], []]
    (other,) = stored(alice, shared_project, SAID[1], hours=1)
    assert (waits(alice), waits(bob)) == ([key, other], [key])


@pytest.mark.parametrize(
    "fields",
    [{"is_report": True}, {"hidden": True}, {"pinned": True}, {"by_hand_at": timezone.now()}],
    ids=["report", "hidden", "pinned", "by hand"],
)
def test_what_needs_no_review_does_not_wait(alice: User, fields: dict[str, object]) -> None:
    stored(alice, None, SAID[0])
    Learning.objects.update(**fields)

    assert waits(alice) == []


def test_what_a_running_session_says_waits_for_its_end(alice: User) -> None:
    stored(alice, None, SAID[0])
    CaptureState.objects.update(settled_until=None, last_activity_at=timezone.now())
    Learning.objects.get().sources.update(message_time=timezone.now())

    assert waits(alice) == []


@pytest.mark.parametrize("what", ["keep", "pin", "hide", "correct"])
def test_decision_takes_it_from_the_queue_and_undoing_brings_it_back_as_it_was(alice: User, what: str) -> None:
    (key,) = stored(alice, None, SAID[0])
    before = Learning.objects.values("content", "pinned", "hidden").get()

    decision = queue.decide(alice, key, what, content="Run the linter and the type checker")
    assert (waits(alice), Learning.objects.get().reviewed_by) == ([], alice)

    queue.undo(alice, decision)
    assert waits(alice) == [key]
    assert Learning.objects.values("content", "pinned", "hidden").get() == before


def test_merge_into_another_is_undone_by_separating_them(alice: User) -> None:
    first, second = stored(alice, None, *SAID[:2])

    decision = queue.decide(alice, first, "merge", into=second)
    assert (waits(alice), Learning.objects.get(pk=second).seen_count) == ([second], 2)
    assert Learning.objects.get(pk=first).merged_into_id == second

    queue.undo(alice, decision)
    assert (waits(alice), Learning.objects.get(pk=second).seen_count) == ([first, second], 1)


def test_change_anywhere_else_counts_as_a_review(alice: User) -> None:
    first, second = stored(alice, None, *SAID[:2])
    curation.change(alice, first, content="Run the linter and the type checker")

    assert waits(alice) == [second]


@pytest.mark.parametrize(
    ("what", "into", "reason"),
    [
        ("merge", None, "choose the learning that stays"),
        ("merge", "itself", "only two learnings of one project"),
        ("merge", "elsewhere", "only two learnings of one project"),
        ("drop", None, "do: must be one of"),
    ],
)
def test_invalid_decision_is_refused_with_the_reason(
    alice: User, shared_project: Project, what: str, into: str | None, reason: str
) -> None:
    (key,) = stored(alice, None, SAID[0])
    (elsewhere,) = stored(alice, shared_project, SAID[1], hours=1)

    with pytest.raises(ValueError, match=reason):
        queue.decide(alice, key, what, into={"itself": key, "elsewhere": elsewhere}.get(into or ""))

    assert set(waits(alice)) == {key, elsewhere}


def test_those_who_may_not_change_it_decide_nothing(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    (key,) = stored(alice, shared_project, SAID[0])

    for user, error in ((bob, PermissionDenied), (charlie, Http404)):
        for what in ("keep", "hide"):
            with pytest.raises(error):
                queue.decide(user, key, what)
    assert waits(alice) == [key]
