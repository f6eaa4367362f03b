"""The learnings whose vectors are near to another one's."""

from __future__ import annotations

from typing import Any

from capture import curation, sink
from capture.merging.neighbours import near
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning
from tests.support.rows.factories import ProjectFactory

FIRST, SECOND = "Use pnpm in this repository, not npm", "This repo uses pnpm instead of npm"


def test_neighbours_are_of_the_same_project_the_nearest_first(
    learn: Any, alice: User, bob: User, shared_project: Project
) -> None:
    row = learn(alice, shared_project, FIRST)
    learn(bob, shared_project, SECOND)
    learn(bob, shared_project, "npm is slow")
    learn(alice, ProjectFactory(owner=alice), "In this repository use pnpm, not npm")
    hidden = learn(alice, shared_project, "pnpm is used in this repository, not npm")
    curation.change(alice, hidden.pk, hidden=True)

    neighbours = near(row, 0.3)

    assert [neighbour.learning.content for neighbour in neighbours] == [SECOND, "npm is slow"]
    assert neighbours[0].cosine > 0.8 > neighbours[1].cosine >= 0.3
    assert [neighbour.learning.content for neighbour in near(row, 0.8)] == [SECOND]


def test_learning_that_is_not_embedded_has_no_neighbours(alice: User) -> None:
    sink.store(alice, None, capture(learning()))

    assert near(Learning.objects.get(), -1.0) == []
