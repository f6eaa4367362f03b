"""Which wording is kept, what a merge changes, and that it can be undone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from capture import curation
from capture.documents import stage
from capture.merging.merge import better, merge, separate
from capture.models import Learning, LearningChange
from memoryserver.accounts.models import Project, User
from memoryserver.vectors.models import Record

NOW = timezone.now()


def learn(user: User, project: Project | None, content: str, **changes: Any) -> Learning:
    fields = {"type": "learning", "confidence": 0.8, "first_seen": NOW, "last_seen": NOW, **changes}
    row = Learning.objects.create(user=user, project=project, content=content, content_digest=content, **fields)
    stage(user, project, [row])
    return row


def searchable() -> list[str]:
    return sorted(Record.objects.values_list("text", flat=True))


@pytest.mark.parametrize(
    "changes",
    [
        {"pinned": True},
        {"by_hand_at": NOW},
        {"source": "observed"},
        {"confidence": 0.9},
        {"content": "Use `uv`"},
        {"content": "Use uv in this repository"},
    ],
    ids=["pinned", "by hand", "source", "confidence", "code names", "longer"],
)
def test_better_wording_is_kept_in_either_order(changes: dict[str, Any], alice: User) -> None:
    plain = learn(alice, None, "Use uv")
    good = learn(alice, None, **{"content": "Use uv", **changes})

    assert better(plain, good) == better(good, plain) == (good, plain)


def test_older_of_equal_wordings_is_kept(alice: User) -> None:
    first, second = learn(alice, None, "Use uv"), learn(alice, None, "Run uv")

    assert better(second, first) == (first, second)


def test_merged_learning_counts_for_the_kept_one_and_is_shown_by_it_alone(
    alice: User, bob: User, shared_project: Project
) -> None:
    kept = learn(alice, shared_project, "Use uv, not pip", seen_count=2, last_seen=NOW - timedelta(days=1))
    merged = learn(bob, shared_project, "We use uv instead of pip", seen_count=3)

    merge(kept, merged)

    assert (kept.seen_count, kept.last_seen, kept.content) == (5, NOW, "Use uv, not pip")
    assert (merged.merged_into, merged.seen_count, searchable()) == (kept, 3, ["Use uv, not pip"])
    change = LearningChange.objects.get()
    assert (change.learning, change.what, change.before, change.made_by) == (kept, "merged", merged.content, None)


def test_undone_merge_leaves_both_as_they_were_and_they_are_not_merged_again(alice: User) -> None:
    kept, merged = learn(alice, None, "Use uv", seen_count=2), learn(alice, None, "Run uv", seen_count=3)
    merge(kept, merged)

    separate(merged, alice)

    kept.refresh_from_db()
    assert (kept.seen_count, merged.seen_count, merged.merged_into) == (2, 3, None)
    assert searchable() == ["Run uv", "Use uv"]
    assert list(merged.distinct_from.all()) == [kept]


def test_what_was_merged_before_goes_along_and_each_can_be_separated(alice: User) -> None:
    best, good, plain = (learn(alice, None, f"Use uv {number}", seen_count=1) for number in range(3))
    merge(good, plain)
    merge(best, good)
    assert [best.seen_count, good.seen_count, Learning.objects.get(pk=plain.pk).merged_into] == [3, 1, best]

    separate(Learning.objects.get(pk=plain.pk), alice)
    separate(Learning.objects.get(pk=good.pk), alice)

    assert list(Learning.objects.order_by("pk").values_list("seen_count", "merged_into")) == [(1, None)] * 3


def test_separating_what_is_not_merged_does_nothing(alice: User) -> None:
    separate(learn(alice, None, "Use uv"), alice)

    assert LearningChange.objects.count() == 0


def test_merged_learning_is_shown_again_when_the_kept_one_is_deleted(
    alice: User, bob: User, shared_project: Project
) -> None:
    kept, merged = learn(alice, shared_project, "Use uv, not pip"), learn(bob, shared_project, "uv instead of pip")
    merge(kept, merged)

    curation.delete(alice, kept.pk)

    row = Learning.objects.get()
    assert (row, row.merged_into, searchable()) == (merged, None, ["uv instead of pip"])


def test_corrected_wording_is_separated(alice: User) -> None:
    kept, merged = learn(alice, None, "Use uv", seen_count=2), learn(alice, None, "Run uv")
    merge(kept, merged)

    curation.change(alice, merged.pk, content="Run uv sync after each pull")

    kept.refresh_from_db()
    merged.refresh_from_db()
    assert (kept.seen_count, merged.merged_into) == (2, None)
