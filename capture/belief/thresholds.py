"""The belief from which on a learning enters a context: the less direct its source, the higher.

On the labelled real sessions (`bench/extraction.py --sessions`, the row "in a context") 25 of the 29 learnings that may
enter a context are worth keeping (strictly; 0.69 to 0.95 with 95 % confidence), and 3 of the others are borderline,
with weights that were fitted on other repositories; the thresholds themselves were chosen on these sessions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

THRESHOLDS: Mapping[str, float] = {"agent": 0.3, "observed": 0.8, "stated": 0.8}
"""By source."""

OF_ONE_TASK = frozenset({"solution", "error_recovery", "refactoring", "optimization", "security", "outcome"})
"""Types of learnings that mostly tell how one task was done."""

THRESHOLD_OF_ONE_TASK = 0.95
"""For stated learnings of these types, unless they name a cause that was found."""

FOUND_CAUSE = (
    "^(it |so |in the end )?(turn(s|ed) out )?(that )?(the )?(root |underlying |actual |real )?"
    "(cause|problem|issue|bug|culprit|reason)( of [^.;]{1,80}| for [^.;]{1,80}| here)? was "
)
"""A cause in the past tense, "The root cause was that ...": a regular expression for Python and Postgres, in any case.

One in the present tense ("The issue is that ...") is often a guess on the way: of three on the labelled sessions that
the lower threshold would let in, one is worth keeping.
"""

THRESHOLD_OF_ACCEPTED = 0.3
"""For learnings that the judge has accepted."""


def threshold(source: str, kind: str, content: str = "") -> float:
    """Return the belief that a learning of `source` and type `kind` needs; an unknown source counts as stated."""
    stated = source not in ("agent", "observed")
    if stated and kind in OF_ONE_TASK and not re.search(FOUND_CAUSE, content, re.IGNORECASE):
        return THRESHOLD_OF_ONE_TASK
    return THRESHOLDS.get(source, THRESHOLDS["stated"])
