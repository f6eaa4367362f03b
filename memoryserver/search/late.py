"""A second look at the first results of a hybrid search: each token of the query beside each of the text's.

The vector of a text is the mean of its tokens'; here a detail counts that is lost in it. The score gets a third part,

    WEIGHT * similarity / best similarity / (FUSION + rank by similarity)

`embedding.tokens` says what is compared, and docs/search.md what it finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from memoryserver.search.engine import FUSION, QueryVector, Ranked

DEPTH = 50
"""Results that are looked at."""

WEIGHT = 1.5
"""Chosen on dialogues 1 and 2 and half of the other questions of `bench/relevance.py`."""


def ordered(ranked: Sequence[Ranked], query: QueryVector) -> list[Ranked]:
    """Return `ranked`, best first, in the order that also the tokens decide; the first DEPTH must have their codes.

    A text without codes counts as one in the middle; where fewer than half have some, nothing is changed.
    """
    first, rest = ranked[:DEPTH], ranked[DEPTH:]
    codes = {row.record_id: row.codes for row in first if row.codes} if query.tokens else {}
    if 2 * len(codes) < len(first) or not codes:
        return list(ranked)
    found = _similarities(query, codes)
    middle = median(found.values())
    similarities = [found.get(row.record_id, middle) for row in first]
    best = max(*similarities, 1e-6)
    order = sorted(range(len(first)), key=lambda number: -similarities[number])
    places = {number: place for place, number in enumerate(order, 1)}
    weighed = [
        row._replace(score=row.score + WEIGHT * max(similarities[number], 0) / best / (FUSION + places[number]))
        for number, row in enumerate(first)
    ]
    return sorted(weighed, key=lambda row: -row.score) + list(rest)


def _similarities(query: QueryVector, codes: dict[int, bytes]) -> dict[int, float]:
    """Return the similarity of each text, by record: the mean of those to the wordings of the query."""
    from memoryserver.embedding import tokens  # with numpy, which other processes do not need

    dimension, texts = len(query.vector), list(codes.values())
    forms = [tokens.unpacked(form, dimension) for form in query.tokens]
    each = [values.tolist() for values in tokens.similarities(forms, texts)]
    return {record: sum(values) / len(each) for record, *values in zip(codes, *each, strict=True)}
