"""The log's jobs. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memoryserver.embedding import service
from memoryserver.vectors import backlog
from obslog import indexing, partitions, privileges, removal
from obslog.emit import emit
from obslog.models import Unembedded
from obslog.partitions import Month

SOURCE = "system:obslog"
STAGING_SECONDS = 30.0  # the rest is staged a minute later


@transaction.atomic
def make_partitions() -> int:
    """Create the partitions of the coming months and return how many were missing."""
    created = partitions.ensure(timezone.now())
    privileges.revoke_changes()
    if created:
        names = [str(month) for month in created]
        message = f"created the months {', '.join(names)}"
        emit(None, type="log.months_made", source=SOURCE, message=message, data={"months": names})
    return len(created)


def embed_arrived() -> int:
    """Index new observations for lexical, then semantic search; return how many were embedded.

    Raises EmbeddingModelError if the model cannot be loaded; lexical search finds the observations nevertheless.
    """
    deadline = time.monotonic() + STAGING_SECONDS
    while indexing.stage_arrived() and time.monotonic() < deadline:
        pass
    if not Unembedded.objects.exists():
        return 0
    if not backlog.can_embed(service()):
        return 0
    return backlog.drain(Unembedded.objects.all(), lambda rows: indexing.embed(rows, service()))


def remove_of_deleted() -> int:
    """Replace what deleted users wrote in the log by a fixed text and return how many observations that were."""
    return removal.remove_of_deleted()


def drop_old_months() -> int:
    """Drop the months beyond the retention setting, record it in the log, and return the number of observations.

    The search index is cleaned afterwards, since dropping blocks writes to the log. An interrupted run leaves that to
    the next one; search does not return dropped observations meanwhile.
    """
    keep = settings.OBSLOG_RETENTION_MONTHS
    if keep <= 0:
        return 0
    month = Month.of(timezone.now()).plus(-keep)
    dropped = _drop_before(month, keep)
    indexing.forget_dropped(month)
    return dropped


@transaction.atomic
def _drop_before(month: Month, keep: int) -> int:
    dropped = partitions.drop_before(month)
    for name, count in dropped:
        emit(
            None,
            type="log.month_dropped",
            source=SOURCE,
            message=f"dropped {name} with {count} observations: {keep} months are kept",
            data={"dropped": name, "observations": count, "kept_months": keep},
        )
    return sum(count for _, count in dropped)
