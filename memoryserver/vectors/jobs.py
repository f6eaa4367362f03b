"""Jobs of the vectors app. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

import logging

from memoryserver.vectors import indexes
from memoryserver.vectors.models import Record

logger = logging.getLogger(__name__)

MAX_RECORDS_PER_JOB = 200_000
"""Building larger indexes may exceed a job's time limit; `manage.py index_vectors` has none."""


def index_grown() -> int:
    """Build the index of each collection that is too large for exact search and return how many were built."""
    built = 0
    for collection in indexes.collections_to_index():
        if Record.objects.filter(collection=collection.name)[: MAX_RECORDS_PER_JOB + 1].count() > MAX_RECORDS_PER_JOB:
            logger.error(
                "collection too large to be indexed by a job; run: manage.py index_vectors",
                extra={"collection": collection.name},
            )
            continue
        indexes.build(collection)
        built += 1
    return built
