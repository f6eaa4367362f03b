"""The comparison of the learnings of a project, across sessions and people: which say the same, which contradict."""

from __future__ import annotations

import time

from django.db import transaction
from django.db.models import F, Q

from capture import identities
from capture.belief import usage
from capture.merging import contradiction, disagreements
from capture.merging.likeness import MIN_COSINE, say_the_same
from capture.merging.merge import better, merge
from capture.merging.neighbours import near
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.jobs import try_advisory_lock

SECONDS = 60.0
_BATCH = 100


def merge_pending() -> int:
    """Compare each learning whose wording is embedded and was not compared yet; return how many were merged.

    Contradictions are recorded as well. After SECONDS the rest is left to the next run. Only one runs at a time;
    another returns 0 at once.
    """
    deadline = time.monotonic() + SECONDS
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
    """Merge the learning `key` with the nearest one that says the same, and return whether there is one.

    One that stays, on its own or as the better wording, is compared with those that it may contradict.
    """
    row = Learning.objects.filter(_due(), pk=key).first()
    if row is None:
        return False
    neighbours = near(row, min(MIN_COSINE, contradiction.MIN_COSINE))
    similar = (neighbour.learning for neighbour in neighbours if neighbour.cosine >= MIN_COSINE)
    match = next((other for other in similar if _are_same(row, other)), None)
    if match is not None:
        for owner in sorted({row.user_id, match.user_id}):
            identities.lock(User(pk=owner))
        current = Learning.objects.select_for_update(of=("self",)).select_related("user", "project")
        rows = list(current.filter(pk__in=[row.pk, match.pk], hidden=False, merged_into=None).order_by("pk"))
        if len(rows) == 2 and say_the_same(rows[0].content, rows[1].content):
            earlier = min(rows, key=lambda one: (one.first_seen, one.pk))
            usage.count("followed", usage.was_given([earlier.pk]))
            merge(*better(*rows))
        else:
            match = None
    row.refresh_from_db(fields=["merged_into"])
    if row.merged_into_id is None:
        others = [neighbour for neighbour in neighbours if match is None or neighbour.learning.pk != match.pk]
        disagreements.record(row, others)
    Learning.objects.filter(pk=key).update(compared_digest=row.content_digest)
    return match is not None


def _are_same(row: Learning, other: Learning) -> bool:
    return (
        row.is_report == other.is_report
        and say_the_same(row.content, other.content)
        and not row.distinct_from.filter(pk=other.pk).exists()
    )
