"""What of a ranking counts as found: a query that matches nothing finds nothing.

A ranking by meaning contains every text, however far from the query. So a result counts only if its text covers enough
of the query's words, or its cosine is well above the background of the model, the cosines of unrelated texts. And if
not even the best results are clearly above it, there are none.

A query in a sentence, which has an English function word such as "where" or "the", needs less than bare words do:
gibberish is nearer to any text than a question about something else is, since the model reads it letter by letter.

The values were chosen on half of the questions of `bench/relevance.py`, so that next to no true answer is lost;
docs/search.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.embedding import Background
from memoryserver.search.engine import EVIDENCE_FLOOR, Ranked

# In standard deviations above the mean of the background.
RESULT = 3.0
BEST = 4.5
BEST_OF_SENTENCE = 4.0
WITHOUT_WORDS = 6.0

BEST_SHARE = 0.5
_SENTENCE = """
    a an and any are as at be by can did do does for from had has have how if in into is it not of on or our should so
    than that the their there they this to was we were what when where which while who whose why will with would
"""
_FUNCTION_WORDS = frozenset(_SENTENCE.split())


def is_sentence(query: str) -> bool:
    """Return whether `query` has an English function word."""
    return not _FUNCTION_WORDS.isdisjoint(query.lower().split())


def passing(ranked: Sequence[Ranked], background: Background, query: str, *, known_words: bool) -> list[Ranked]:
    """Return those of `ranked` that count as found, in their order.

    A result needs a share of the query's words above EVIDENCE_FLOOR, or a cosine of RESULT deviations. At least one
    must have a share of BEST_SHARE or a cosine of BEST deviations, BEST_OF_SENTENCE for a query in a sentence. Unless
    some text has a word of the query (`known_words`), each result for a query of bare words needs a cosine of
    WITHOUT_WORDS deviations: such a query is misspelt, foreign or gibberish.
    """
    sentence = is_sentence(query)
    lowest = background.above(RESULT if known_words or sentence else WITHOUT_WORDS)
    results = [row for row in ranked if row.share > EVIDENCE_FLOOR or _cosine(row) >= lowest]
    best = background.above(BEST_OF_SENTENCE if sentence else BEST)
    if any(row.share >= BEST_SHARE or _cosine(row) >= best for row in results):
        return results
    return []


def _cosine(row: Ranked) -> float:
    return -1.0 if row.cosine is None else row.cosine
