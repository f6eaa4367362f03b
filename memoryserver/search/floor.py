"""What of a ranking counts as found: a query that matches nothing finds nothing.

A ranking by meaning contains every text, however far from the query. So a result counts only if its text covers enough
of the query's words, or its cosine is well above the background of the model, the cosines of unrelated texts. And if
not even the best results are clearly above it, there are none.

The values were chosen on half of the questions of `bench/relevance.py`, so that next to no true answer is lost;
docs/search.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.embedding import Background
from memoryserver.search.engine import EVIDENCE_FLOOR, Ranked

# In standard deviations above the mean of the background.
RESULT = 3.0
BEST = 4.0
WITHOUT_WORDS = 6.0

BEST_SHARE = 0.5


def passing(ranked: Sequence[Ranked], background: Background, *, by_words: bool) -> list[Ranked]:
    """Return those of `ranked` that count as found, in their order.

    A result needs a share of the query's words above EVIDENCE_FLOOR, or a cosine of RESULT deviations. At least one
    must have a share of BEST_SHARE or a cosine of BEST deviations. If `by_words` and no text has any word of the query,
    each result needs a cosine of WITHOUT_WORDS deviations: such a query is misspelt, foreign or gibberish.
    """
    without_words = by_words and not any(row.lexical_rank for row in ranked)
    lowest = background.above(WITHOUT_WORDS if without_words else RESULT)
    results = [row for row in ranked if row.share > EVIDENCE_FLOOR or _cosine(row) >= lowest]
    best = background.above(BEST)
    if any(row.share >= BEST_SHARE or _cosine(row) >= best for row in results):
        return results
    return []


def _cosine(row: Ranked) -> float:
    return -1.0 if row.cosine is None else row.cosine
