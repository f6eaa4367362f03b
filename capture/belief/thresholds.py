"""The belief from which on a learning enters a context: the less direct its source, the higher.

On the labelled real sessions (`bench/extraction.py --sessions`, the row "in a context") statements of at least 0.8 are
worth keeping for 15 of 18, except those that tell how one task was done: for 7 of 12. What was observed is worth it for
5 of 5 from 0.8 on, and for 4 of 6 at 0.75. Together 21 of 24 are (strictly; 0.69 to 0.96 with 95 % confidence), with
weights that were fitted on other repositories; the thresholds themselves were chosen on these sessions.
"""

from __future__ import annotations

from collections.abc import Mapping

THRESHOLDS: Mapping[str, float] = {"agent": 0.3, "observed": 0.8, "stated": 0.8}
"""By source."""

OF_ONE_TASK = frozenset({"solution", "error_recovery", "refactoring", "optimization", "security", "outcome"})
"""Types of learnings that mostly tell how one task was done."""

THRESHOLD_OF_ONE_TASK = 0.95
"""For stated learnings of these types."""

THRESHOLD_OF_ACCEPTED = 0.3
"""For learnings that the judge has accepted."""


def threshold(source: str, type: str) -> float:  # noqa: A002
    """Return the belief that a learning of `source` and `type` needs; an unknown source counts as stated."""
    if source not in ("agent", "observed") and type in OF_ONE_TASK:
        return THRESHOLD_OF_ONE_TASK
    return THRESHOLDS.get(source, THRESHOLDS["stated"])
