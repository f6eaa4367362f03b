"""The vectors' jobs. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

import logging

from memoryserver.vectors import indexes
from memoryserver.vectors.models import Record

logger = logging.getLogger(__name__)

MOST_IN_A_JOB = 200_000
"""Above this the build may outlast a job's time limit; `manage.py index_vectors` has none."""


def index_grown() -> int:
    """Build the index of each collection that has outgrown exact search; how many were built."""
    built = 0
    for collection in indexes.grown():
        if Record.objects.filter(collection=collection.name)[: MOST_IN_A_JOB + 1].count() > MOST_IN_A_JOB:
            logger.error(
                "collection too large to be indexed by a job; run: manage.py index_vectors",
                extra={"collection": collection.name},
            )
            continue
        indexes.build(collection)
        built += 1
    return built
