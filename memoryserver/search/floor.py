"""What of a ranking counts as found: a query that matches nothing finds nothing.

A ranking by meaning contains every text, however far from the query. So a result counts only if its text covers enough
of the query's words, or its cosine is well above the background of the model, the cosines of unrelated texts. And there
are none unless one is clear, by its words and its meaning together: "how long do tortoises live" is not answered by a
text that has `long` and `live` and is about something else.

Where no text has a word of the query, bare words need more than a sentence, which has an English function word such as
"where" or "the": gibberish is nearer to any text than a question about something else is, since the model reads it
letter by letter.

The values were chosen on half of the questions of `bench/relevance.py`, so that next to no true answer is lost;
docs/search.md has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.embedding import Background
from memoryserver.search.engine import EVIDENCE_FLOOR, Ranked

# In standard deviations above the mean of the background.
RESULT = 3.0
CLEAR = 4.4
WITHOUT_WORDS = 6.0

WORTH_OF_WORDS = 4.0
"""Deviations that a text with all words of the query needs less; one with half of them needs half of that less."""

ALL_WORDS = 0.95
CLEAR_SHARE = 0.5
"""Shares of the words that are clear by themselves, and where the cosine is not known."""

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
    must be clear. Unless some text has a word of the query (`known_words`), each result for a query of bare words needs
    a cosine of WITHOUT_WORDS deviations: such a query is misspelt, foreign or gibberish.
    """
    lowest = background.above(RESULT if known_words or is_sentence(query) else WITHOUT_WORDS)
    results = [row for row in ranked if row.share > EVIDENCE_FLOOR or _cosine(row) >= lowest]
    return results if any(_is_clear(row, background) for row in results) else []


def _is_clear(row: Ranked, background: Background) -> bool:
    if row.cosine is None:
        return row.share >= CLEAR_SHARE
    return row.share >= ALL_WORDS or row.cosine >= background.above(CLEAR - WORTH_OF_WORDS * row.share)


def _cosine(row: Ranked) -> float:
    return -1.0 if row.cosine is None else row.cosine
