"""What is computed each night: the clusters of each scope, and from them the failures that recur."""

from __future__ import annotations

import logging
import time

from ghap import clustering, grouping
from ghap.recurring import recount

logger = logging.getLogger(__name__)


def find_clusters(seconds: float) -> tuple[int, bool]:
    """Recompute the clusters of each scope that is due, and recount its failures.

    Returns how many clusterings changed, and whether all were computed before so many seconds were over. Finds none,
    and leaves those that were found, without scikit-learn.
    """
    if not grouping.is_installed():
        logger.warning("no clusters are computed: scikit-learn is not installed; run: pip install scikit-learn")
        return 0, True
    clustering.prepare()
    changed, complete = _compute_until(time.monotonic() + seconds)
    recount.forget_empty()
    return changed, complete


def _compute_until(deadline: float) -> tuple[int, bool]:
    changed = 0
    for row in clustering.due():
        changed += clustering.compute(row)
        recount.recount(row.user_id, row.project_id)
        if time.monotonic() > deadline:
            return changed, False
    return changed, True
