"""The journal's jobs. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from ghap import assessor, clustering, grouping
from ghap.models import Entry
from ghap.persister import persist_rows
from ghap.recurring import recount
from ghap.unresolved import open_entries
from memoryserver.embedding import service
from memoryserver.jobs import enqueue
from memoryserver.vectors import backlog
from obslog.emit import emit

logger = logging.getLogger(__name__)

CLUSTERS_JOB = "ghap.jobs.find_clusters"
CLUSTERING_SECONDS = 120.0  # then another job continues: the last clustering must still finish within the time limit
ASSESS_JOB = "ghap.jobs.assess_outdated"
ASSESS_LIMIT = 5_000  # entries; keeps a run well below the cluster's time limit


def persist_pending() -> int:
    """Persist every entry that is due and return how many. Raises EmbeddingModelError if the model cannot be loaded."""
    pending = Entry.objects.select_related("user", "project")
    if not pending.filter(Entry.pending()).exists():
        return 0
    if not backlog.can_embed(service()):
        return 0
    return backlog.drain(pending, _persist)


def assess_outdated() -> int:
    """Assess up to ASSESS_LIMIT entries that were assessed by older rules; enqueue another run if more are left."""
    assessed = assessor.assess_outdated(service(), limit=ASSESS_LIMIT)
    if assessed == ASSESS_LIMIT:
        enqueue(ASSESS_JOB)
    return assessed


def find_clusters() -> int:
    """Recompute the clusters of each scope, recount the failures, and return how many clusterings changed.

    Another job continues when time is up. Finds none, and leaves those that were found, without scikit-learn.
    """
    if not grouping.is_installed():
        logger.warning("no clusters are computed: scikit-learn is not installed; run: pip install scikit-learn")
        return 0
    clustering.prepare()
    changed = _cluster_until(time.monotonic() + CLUSTERING_SECONDS)
    recount.forget_empty()
    open_entries.forget_old()
    return changed


def _cluster_until(deadline: float) -> int:
    changed = 0
    for row in clustering.due():
        changed += clustering.compute(row)
        recount.recount(row.user_id, row.project_id)
        if time.monotonic() > deadline:
            enqueue(CLUSTERS_JOB)
            break
    return changed


def _persist(rows: Sequence[Entry]) -> None:
    """Persist and assess `rows`, and record each in the observation log."""
    persist_rows(rows, service())
    persist_rows(assessor.assess_rows(rows, service()), service())
    existing = set(Entry.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True))
    for row in rows:
        if row.pk not in existing:
            continue
        emit(
            row.user,
            type="ghap.persisted",
            source="system:persister",
            message=f"persisted {row.ghap_id} ({row.outcome_status})",
            data={"ghap_id": row.ghap_id, "strategy": row.strategy, "domain": row.domain},
            scope_ids=[row.ghap_id, row.session_id],
        )
