"""The log's jobs. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from memoryserver.embedding import service
from obslog import indexing, months, removal
from obslog.partitions import Month

STAGING_SECONDS = 30.0  # the rest is staged a minute later


def make_partitions() -> int:
    """Create the partitions of the coming months and return how many were missing."""
    return len(months.make_coming(timezone.now()))


def embed_arrived() -> int:
    """Index new observations for lexical, then semantic search; return how many were embedded.

    Raises EmbeddingModelError if the model cannot be loaded; lexical search finds the observations nevertheless.
    """
    return indexing.embed_arrived(service(), STAGING_SECONDS)


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
    dropped = months.drop_beyond(month, keep)
    indexing.forget_dropped(month)
    return dropped
