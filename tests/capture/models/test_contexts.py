"""Contexts, captures and compactions: what may exist once only."""

from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from capture.models import (
    Capture,
    CaptureState,
    Compaction,
)
from memoryserver.accounts.models import User

NOW = timezone.now()


def state(user: User, context_id: str = "c") -> CaptureState:
    return CaptureState.objects.create(user=user, context_id=context_id, last_activity_at=NOW)


def capture_of(row: CaptureState) -> Capture:
    ranged = {"first_message_index": 1, "last_message_index": 2, "compaction_number": 0}
    return Capture.objects.create(state=row, capture_id=uuid.UUID(int=1), captured_at=NOW, **ranged)


def compaction(user: User, number: int | None, compaction_id: int) -> Compaction:
    fields = {"context_id": "c", "trigger": "auto", "happened_at": NOW, "number": number}
    return Compaction.objects.create(user=user, compaction_id=uuid.UUID(int=compaction_id), **fields)


def test_context_exists_once_for_its_user(alice: User, bob: User) -> None:
    state(alice)
    state(bob)

    with pytest.raises(IntegrityError, match="capture_state_once"), transaction.atomic():
        state(alice)


def test_capture_exists_once_in_its_context(alice: User) -> None:
    row = state(alice)
    capture_of(row)
    capture_of(state(alice, "another"))

    with pytest.raises(IntegrityError, match="capture_once"), transaction.atomic():
        capture_of(row)


def test_number_of_a_compaction_exists_once_in_its_context_and_many_may_have_none(alice: User) -> None:
    for compaction_id, number in enumerate((None, None, 1)):
        compaction(alice, number, compaction_id)

    with pytest.raises(IntegrityError, match="compaction_number_once"), transaction.atomic():
        compaction(alice, 1, 9)
    with pytest.raises(IntegrityError, match="compaction_once"), transaction.atomic():
        compaction(alice, 2, 0)
