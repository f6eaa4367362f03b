"""Merging of learnings, and undoing it. Both stay in the database; one is shown."""

from __future__ import annotations

from django.db.models import F

from capture.belief.sources import SOURCES
from capture.documents import stage
from capture.models import Learning, LearningChange
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue
from memoryserver.vectors.backlog import reset
from obslog.emit import emit

EMBED_JOB = "capture.jobs.embed_pending"
_SOURCE = "system:capture"
_LONGEST_GOOD = 300  # characters; beyond that, a shorter wording is better


def better(first: Learning, second: Learning) -> tuple[Learning, Learning]:
    """Return two learnings that say the same, the better one first.

    What people decided comes first: pinned, stored by hand, corrected. Then the more direct source, the higher
    confidence, the wording with more code names, the longer one within reason, and the older one.
    """
    ranked = sorted((first, second), key=_rank, reverse=True)
    return ranked[0], ranked[1]


def merge(kept: Learning, merged: Learning) -> None:
    """Merge `merged` into `kept`: its sightings count there, and its sources are shown there.

    What was merged into it before goes along. Neither is changed otherwise, so that `separate` undoes it. Call it in a
    transaction that has locked both owners' learnings (`identities.lock`).
    """
    last_seen = max(kept.last_seen, merged.last_seen)
    own_count = merged.seen_count - sum(merged.merged.values_list("seen_count", flat=True))
    Learning.objects.filter(merged_into=merged).update(merged_into=kept)
    Learning.objects.filter(pk=merged.pk).update(merged_into=kept, seen_count=own_count)
    Learning.objects.filter(pk=kept.pk).update(seen_count=F("seen_count") + merged.seen_count, last_seen=last_seen)
    merged.refresh_from_db()
    kept.refresh_from_db()
    stage(merged.user, merged.project, [merged])
    record(kept, LearningChange.What.MERGED, None, merged)


def separate(merged: Learning, by: User | None) -> None:
    """Undo the merge of `merged`, and keep the job from merging the two again. Does nothing if it is not merged."""
    kept = merged.merged_into
    if kept is None:
        return
    merged.distinct_from.add(kept)
    Learning.objects.filter(pk=kept.pk).update(seen_count=F("seen_count") - merged.seen_count)
    release(kept, [merged])
    record(kept, LearningChange.What.SEPARATED, by, merged)


def release(kept: Learning, merged: list[Learning]) -> None:
    """Show `merged` again on their own, as before they were merged into `kept`."""
    for row in merged:
        Learning.objects.filter(pk=row.pk).update(merged_into=None, compared_digest="")
        row.refresh_from_db()
        stage(row.user, row.project, [row])
    if reset(Learning.objects.filter(pk__in=[row.pk for row in merged])):
        enqueue(EMBED_JOB)


def record(kept: Learning, what: LearningChange.What, by: User | None, merged: Learning) -> None:
    """Record in the history of `kept` and in the log what happened to `merged`."""
    LearningChange.objects.create(learning=kept, what=what, before=merged.content, made_by=by)
    emit(
        kept.user,
        type=f"capture.learning_{what}",
        source=_SOURCE,
        message=f"learning {merged.pk} was {what}: {kept.pk}",
        scope_ids=[f"learning:{kept.pk}", f"learning:{merged.pk}"],
        project=kept.project_id,
    )


def _rank(row: Learning) -> tuple[object, ...]:
    return (
        row.pinned,
        row.by_hand_at is not None,
        row.changes.filter(what=LearningChange.What.CORRECTED).exists(),
        -SOURCES.index(Learning.Source(row.source).value),
        row.confidence,
        row.content.count("`"),
        min(len(row.content), _LONGEST_GOOD),
        -row.pk,
    )
