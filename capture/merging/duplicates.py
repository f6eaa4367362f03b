"""The search for learnings of a project that say the same, across sessions and people."""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.db import transaction
from django.db.models import ExpressionWrapper, F, FloatField, Q
from pgvector.django import CosineDistance

from capture import identities
from capture.documents import COLLECTION
from capture.merging.likeness import MIN_COSINE, say_the_same
from capture.merging.merge import better, merge
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.jobs import try_advisory_lock
from memoryserver.vectors.models import Record

SECONDS = 60.0
_BATCH = 100
_NEIGHBOURS = 10


def merge_pending(seconds: float = SECONDS) -> int:
    """Compare each learning whose wording is embedded and was not compared yet; return how many were merged.

    After `seconds` the rest is left to the next run. Only one runs at a time; another returns 0 at once.
    """
    deadline = time.monotonic() + seconds
    merged = 0
    with try_advisory_lock("merge learnings") as acquired:
        while acquired and time.monotonic() < deadline:
            batch = list(Learning.objects.filter(_due()).order_by("pk")[:_BATCH])
            if not batch:
                break
            for row in batch:
                if time.monotonic() < deadline:
                    merged += _compare(row.pk)
    return merged


def _due() -> Q:
    shown = Q(hidden=False, merged_into=None)
    return shown & Q(embedded_digest=F("content_digest")) & ~Q(compared_digest=F("content_digest"))


@transaction.atomic
def _compare(key: int) -> bool:
    """Merge the learning `key` with the nearest one that says the same, and return whether there is one."""
    row = Learning.objects.filter(_due(), pk=key).first()
    if row is None:
        return False
    match = next((other for other in _near(row) if _are_same(row, other)), None)
    if match is not None:
        for owner in sorted({row.user_id, match.user_id}):
            identities.lock(User(pk=owner))
        current = Learning.objects.select_for_update(of=("self",)).select_related("user", "project")
        rows = list(current.filter(pk__in=[row.pk, match.pk], hidden=False, merged_into=None).order_by("pk"))
        if len(rows) == 2 and say_the_same(rows[0].content, rows[1].content):
            merge(*better(*rows))
        else:
            match = None
    Learning.objects.filter(pk=key).update(compared_digest=row.content_digest)
    return match is not None


def _near(row: Learning) -> Iterator[Learning]:
    """Yield the learnings of the same project, or of the same person and no project, nearest first."""
    records = Record.objects.filter(collection=COLLECTION, embedding__isnull=False)
    own = records.filter(user=row.user_id, key=str(row.pk)).values_list("pk", "embedding").first()
    if own is None:
        return
    pk, vector = own
    scope = Q(project=row.project_id) if row.project_id else Q(project=None, user=row.user_id)
    # Adding 0 keeps the planner from using an approximate index, which may miss rows under a filter.
    distance = ExpressionWrapper(CosineDistance("embedding", vector) + 0.0, output_field=FloatField())
    near = records.filter(scope).exclude(pk=pk).annotate(distance=distance).filter(distance__lte=1 - MIN_COSINE)
    keys = [int(key) for key in near.order_by("distance", "pk").values_list("key", flat=True)[:_NEIGHBOURS]]
    others = Learning.objects.filter(hidden=False, merged_into=None).in_bulk(keys)
    yield from (others[key] for key in keys if key in others)


def _are_same(row: Learning, other: Learning) -> bool:
    return (
        row.is_report == other.is_report
        and say_the_same(row.content, other.content)
        and not row.distinct_from.filter(pk=other.pk).exists()
    )
