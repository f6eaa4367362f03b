"""The belief from which on a learning enters a context: the less direct its source, the higher.

On the labelled real sessions (`bench/extraction.py --sessions`, the row "in a context") 14 of the 17 learnings that may
enter a context are worth keeping (strictly; 0.59 to 0.94 with 95 % confidence), and the others are borderline, with
weights that were fitted on other repositories; the thresholds themselves were chosen on these sessions. At 0.7 there
are twice as many, of which three in four are.
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


def threshold(source: str, kind: str) -> float:
    """Return the belief that a learning of `source` and type `kind` needs; an unknown source counts as stated."""
    if source not in ("agent", "observed") and kind in OF_ONE_TASK:
        return THRESHOLD_OF_ONE_TASK
    return THRESHOLDS.get(source, THRESHOLDS["stated"])
