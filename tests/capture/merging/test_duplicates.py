"""The job that merges learnings which say the same, with the real model."""

from __future__ import annotations

from typing import Any

from capture import curation, sink
from capture.merging.duplicates import merge_pending
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning
from tests.support.rows.factories import ProjectFactory

FIRST, SECOND = "Use pnpm in this repository, not npm", "This repo uses pnpm instead of npm"
OPPOSITE = "Use npm in this repository, not pnpm"


def merged() -> list[tuple[str, str]]:
    rows = Learning.objects.exclude(merged_into=None).order_by("pk")
    return [(row.content, row.merged_into.content) for row in rows if row.merged_into]


def test_same_statement_of_two_people_is_merged_once_and_each_source_is_kept(
    learn: Any, alice: User, bob: User, shared_project: Project
) -> None:
    kept = learn(alice, shared_project, FIRST, confidence=0.9)
    learn(bob, shared_project, SECOND, confidence=0.8)

    assert (merge_pending(), merge_pending()) == (1, 0)

    assert merged() == [(SECOND, FIRST)]
    kept.refresh_from_db()
    assert (kept.seen_count, [row.content for row in _found(alice)]) == (2, [FIRST])
    origins = _origins(kept)
    assert origins == [("bob", SECOND, "c2"), ("alice", "", "c1")]


def _found(user: User) -> list[Learning]:
    from capture import learnings

    return list(learnings.find(user, learnings.Filter()).learnings)


def _origins(row: Learning) -> list[tuple[str, str, str]]:
    from capture import learnings

    return [(origin.user, origin.wording, origin.context_id) for origin in learnings.origins(row, row.user).origins]


def test_opposite_other_projects_hidden_and_separated_learnings_are_not_merged(
    learn: Any, alice: User, shared_project: Project
) -> None:
    learn(alice, shared_project, FIRST)
    learn(alice, shared_project, OPPOSITE)
    learn(alice, ProjectFactory(owner=alice), "In this repository use pnpm, not npm")
    learn(alice, None, "Use pnpm, not npm, in this repository")
    hidden = learn(alice, shared_project, "pnpm is used in this repository, not npm")
    curation.change(alice, hidden.pk, hidden=True)
    Learning.objects.update(embedded_digest="x", content_digest="x")

    assert (merge_pending(), merged()) == (0, [])


def test_merged_wording_that_is_captured_again_counts_for_the_kept_one(learn: Any, alice: User) -> None:
    kept = learn(alice, None, FIRST, confidence=0.95)
    learn(alice, None, SECOND)
    merge_pending()

    sink.store(alice, None, capture(learning(SECOND), number=9))

    kept.refresh_from_db()
    assert (kept.seen_count, Learning.objects.get(content=SECOND).seen_count) == (3, 2)


def test_separated_ones_stay_apart(learn: Any, alice: User) -> None:
    learn(alice, None, FIRST, confidence=0.95)
    other = learn(alice, None, SECOND)
    merge_pending()
    curation.separate(alice, other.pk)
    Learning.objects.filter(pk=other.pk).update(embedded_digest=other.content_digest)

    assert (merge_pending(), merged()) == (0, [])
