"""The journal's jobs. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from ghap import assessor
from ghap.recurring import nightly
from ghap.unresolved import open_entries
from memoryserver.embedding import service
from memoryserver.jobs import enqueue

CLUSTERS_JOB = "ghap.jobs.find_clusters"
CLUSTERING_SECONDS = 120.0  # then another job continues: the last clustering must still finish within the time limit
ASSESS_JOB = "ghap.jobs.assess_outdated"
ASSESS_LIMIT = 5_000  # entries; keeps a run well below the cluster's time limit


def persist_pending() -> int:
    """Persist every entry that is due and return how many. Raises EmbeddingModelError if the model cannot be loaded."""
    return assessor.persist_pending(service())


def assess_outdated() -> int:
    """Assess up to ASSESS_LIMIT entries that were assessed by older rules; enqueue another run if more are left."""
    assessed = assessor.assess_outdated(service(), limit=ASSESS_LIMIT)
    if assessed == ASSESS_LIMIT:
        enqueue(ASSESS_JOB)
    return assessed


def find_clusters() -> int:
    """Recompute clusters and recount failures, forget old open entries, and return how many clusterings changed.

    Another job continues when time is up.
    """
    changed, complete = nightly.find_clusters(CLUSTERING_SECONDS)
    if not complete:
        enqueue(CLUSTERS_JOB)
    open_entries.forget_old()
    return changed
