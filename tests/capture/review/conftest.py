"""A contradiction between a learning of Alice's and a later one of Bob's in their shared project."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from capture.models import Contradiction, Learning
from memoryserver.accounts.models import Project, User

OLD, NEW = "The webhook times out after 10 seconds", "The webhook times out after 30 seconds"


def learn(user: User, project: Project | None, content: str, day: int) -> Learning:
    seen = datetime(2026, 11, day, tzinfo=UTC)
    fields = {"type": "learning", "confidence": 0.9, "first_seen": seen, "last_seen": seen}
    return Learning.objects.create(user=user, project=project, content=content, **fields)


@pytest.fixture
def row(alice: User, bob: User, shared_project: Project) -> Contradiction:
    earlier, later = learn(alice, shared_project, OLD, 1), learn(bob, shared_project, NEW, 3)
    return Contradiction.objects.create(earlier=earlier, later=later, reason="value")
