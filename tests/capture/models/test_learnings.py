"""Learnings, their sources and identities: what may exist once only, and how rows are shown."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from capture.models import (
    Capture,
    CaptureFailure,
    CaptureState,
    Compaction,
    Learning,
    LearningChange,
    LearningIdentity,
    LearningSource,
)
from memoryserver.accounts.models import Project, User

NOW = timezone.now()


def state(user: User, context_id: str = "c") -> CaptureState:
    return CaptureState.objects.create(user=user, context_id=context_id, last_activity_at=NOW)


def capture_of(row: CaptureState) -> Capture:
    ranged = {"first_message_index": 1, "last_message_index": 2, "compaction_number": 0}
    return Capture.objects.create(state=row, capture_id=uuid.UUID(int=1), captured_at=NOW, **ranged)


def learning(user: User, **changes: Any) -> Learning:
    fields = {"type": "gotcha", "content": "x" * 100, "confidence": 0.9, "first_seen": NOW, "last_seen": NOW}
    return Learning.objects.create(user=user, **(fields | changes))


def test_message_is_a_source_of_a_learning_once(alice: User) -> None:
    row, captured = learning(alice), capture_of(state(alice))
    for index in (2, 1):
        LearningSource.objects.create(learning=row, capture=captured, message_index=index)

    assert [source.message_index for source in row.sources.all()] == [1, 2]
    with pytest.raises(IntegrityError, match="learning_source_once"), transaction.atomic():
        LearningSource.objects.create(learning=row, capture=captured, message_index=1)


def test_identity_exists_once_also_without_a_project(alice: User, shared_project: Project) -> None:
    fields = {"user": alice, "type": "gotcha", "digest": "d"}
    for project in (None, shared_project):
        LearningIdentity.objects.create(**fields, project=project)

    for project in (None, shared_project):
        with pytest.raises(IntegrityError, match="learning_identity_once"), transaction.atomic():
            LearningIdentity.objects.create(**fields, project=project)


def test_identity_outlives_its_learning(alice: User) -> None:
    row = learning(alice)
    LearningIdentity.objects.create(user=alice, type="gotcha", digest="d", learning=row)

    row.delete()

    assert LearningIdentity.objects.get().learning is None


def test_learning_is_pending_until_its_content_is_embedded(alice: User) -> None:
    new, embedded = learning(alice, content_digest="a"), learning(alice, content_digest="b", embedded_digest="b")
    corrected = learning(alice, content_digest="c", embedded_digest="b")

    assert set(Learning.objects.filter(Learning.pending())) == {new, corrected}
    assert embedded not in Learning.objects.filter(Learning.pending())


def test_rows_are_shown_by_what_names_them(alice: User) -> None:
    row = learning(alice)
    change = LearningChange.objects.create(learning=row, what="pinned", made_by=alice)
    texts = [
        str(state(alice)),
        str(capture_of(state(alice, "d"))),
        str(CaptureFailure(reason="disk full")),
        str(Compaction(trigger="auto", context_id="c")),
        str(row),
        str(LearningIdentity(type="gotcha", digest="0123456789abcdef")),
        str(change),
        str(LearningChange(what="hidden")),
    ]

    assert texts == [
        "c",
        "00000000-0000-0000-0000-000000000001",
        "disk full",
        "auto in c",
        f"gotcha: {'x' * 80}",
        "gotcha 0123456789ab",
        "pinned by alice",
        "hidden by deleted user",
    ]
