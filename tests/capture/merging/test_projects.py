"""Identities of learnings when two projects of one key become one."""

from __future__ import annotations

import pytest

from capture import curation, sink
from capture.deliveries import IncomingLearning
from capture.merging.projects import move_identities
from capture.models import Learning, LearningIdentity
from memoryserver.accounts.models import Project, User
from tests.support.rows.factories import ProjectFactory

CONTENT = "The cache must be emptied before the import."


@pytest.fixture
def source(alice: User) -> Project:
    return ProjectFactory(owner=alice, key="shop")


@pytest.fixture
def target(alice: User) -> Project:
    return ProjectFactory(owner=alice, key="github.com/crew/shop")


def learn(user: User, project: Project, content: str = CONTENT) -> Learning:
    learning, _ = sink.store_by_hand(user, project, IncomingLearning("gotcha", content, 1.0, 0))
    assert learning is not None
    return learning


def test_identities_move_and_moving_again_does_nothing(alice: User, source: Project, target: Project) -> None:
    first, second = learn(alice, source), learn(alice, target, "Use pnpm in this repository.")
    for _ in range(2):
        move_identities(source, target)

    rows = LearningIdentity.objects.order_by("pk").values_list("project", "learning")
    assert list(rows) == [(target.pk, first.pk), (target.pk, second.pk)]


def test_hidden_learning_is_not_merged_with_one_that_is_shown(alice: User, source: Project, target: Project) -> None:
    hidden, shown = learn(alice, source), learn(alice, target)
    curation.change(alice, hidden.pk, hidden=True)
    move_identities(source, target)

    assert list(Learning.objects.filter(merged_into=None).order_by("pk")) == [hidden, shown]
    assert LearningIdentity.objects.get().learning == shown


def test_wording_that_was_deleted_in_both_stays_deleted(alice: User, source: Project, target: Project) -> None:
    for project in (source, target):
        curation.delete(alice, learn(alice, project).pk)
    move_identities(source, target)

    identity = LearningIdentity.objects.get()
    assert (identity.project, identity.learning) == (target, None)
