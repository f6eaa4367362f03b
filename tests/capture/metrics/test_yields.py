from __future__ import annotations

import pytest
from django.utils import timezone

from capture.metrics.yields import Yield, by_group, of
from capture.models import CaptureState
from memoryserver.accounts.models import Project, User


@pytest.fixture
def states(alice: User, shared_project: Project) -> None:
    for number, (messages, learnings) in enumerate([(0, 0), (1, 1), (2, 0), (3, 1), (9, 0)]):
        CaptureState.objects.create(
            user=alice,
            project=shared_project if messages > 1 else None,
            context_id=f"c{number}",
            message_count=messages,
            learnings_delivered=learnings,
            last_activity_at=timezone.now(),
        )


def test_transcript_of_one_or_two_messages_is_not_a_session(states: None) -> None:
    total = of("", CaptureState.objects.all())

    assert total == Yield("", contexts=4, with_learnings=2, sessions=2, sessions_with_learnings=1)
    assert (total.share, total.percent, total.percent_of_contexts) == (0.5, 50, 50)


def test_groups_are_counted_alike_and_have_no_share_without_sessions(states: None) -> None:
    groups = by_group(CaptureState.objects.all(), "project__key")

    assert groups == [Yield("github.com/crew/shop", 3, 1, 2, 1), Yield("", 1, 1, 0, 0)]
    assert (groups[1].share, groups[1].percent, groups[1].percent_of_contexts) == (None, 0, 100)
