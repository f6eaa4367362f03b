"""The log's jobs. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memoryserver.embedding import service
from memoryserver.vectors import backlog
from obslog import indexing, partitions, privileges
from obslog.emit import emit
from obslog.models import Unembedded
from obslog.partitions import Month

SOURCE = "system:obslog"
STAGING_SECONDS = 30.0  # the rest is staged a minute later


@transaction.atomic
def make_partitions() -> int:
    """Make the log's coming months and return how many were missing."""
    made = partitions.ensure(timezone.now())
    privileges.revoke_changes()
    if made:
        names = [str(month) for month in made]
        message = f"made the months {', '.join(names)}"
        emit(None, type="log.months_made", source=SOURCE, message=message, data={"months": names})
    return len(made)


def embed_arrived() -> int:
    """Let what arrived in the log be found, by its words and then by its meaning; how many were embedded.

    EmbeddingModelError if the model does not load: they are found by their words all the same.
    """
    deadline = time.monotonic() + STAGING_SECONDS
    while indexing.stage_arrived() and time.monotonic() < deadline:
        pass
    if not Unembedded.objects.exists():
        return 0
    service().load()
    return backlog.drain(Unembedded.objects.all(), lambda rows: indexing.embed(rows, service()))


def drop_old_months() -> int:
    """Drop the months that are older than the setting keeps, tell the log, and return how many observations went.

    What was made of them for the search goes afterwards, since nobody could write to the log meanwhile. A run that is
    killed at that leaves it to the next one; until then it is not found either.
    """
    keep = settings.OBSLOG_RETENTION_MONTHS
    if keep <= 0:
        return 0
    month = Month.of(timezone.now()).plus(-keep)
    gone = _drop_before(month, keep)
    indexing.forget_dropped(month)
    return gone


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
