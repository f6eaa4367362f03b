"""The first results of a hybrid search, each token of the query beside each of the text's.

The vector of a text is the mean of its tokens'; here a detail counts that is lost in it. The score gets a third part
(`scores.parts`, with WEIGHT). `embedding.tokens` says what is compared, and docs/search.md what it finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from memoryserver.search.engine import QueryVector, Ranked
from memoryserver.search.rescoring import scores

DEPTH = 50
"""Results that are looked at."""

WEIGHT = 1.5
"""Chosen on dialogues 1 and 2 and half of the other questions of `bench/relevance.py`."""


def ordered(ranked: Sequence[Ranked], query: QueryVector) -> list[Ranked]:
    """Return `ranked`, best first, in the order that also the tokens decide; the first DEPTH must have their codes."""
    first, rest = ranked[:DEPTH], ranked[DEPTH:]
    by_record = similarities(query, {row.record_id: row.codes for row in first})
    if not by_record:
        return list(ranked)
    parts = scores.parts(by_record, WEIGHT)
    weighed = [row._replace(score=row.score + parts[row.record_id]) for row in first]
    return sorted(weighed, key=lambda row: -row.score) + list(rest)


def similarities(query: QueryVector, codes: Mapping[int, bytes | None]) -> dict[int, float]:
    """Return the similarity of each text, by record: the mean of those to the wordings of the query.

    A text without codes has the middle one. Where fewer than half have some there is nothing to compare: {}.
    """
    known = {record: each for record, each in codes.items() if each} if query.tokens else {}
    if 2 * len(known) < len(codes) or not known:
        return {}
    compared = _compared(query, known)
    middle = median(compared.values())
    return {record: compared.get(record, middle) for record in codes}


def _compared(query: QueryVector, codes: Mapping[int, bytes]) -> dict[int, float]:
    from memoryserver.embedding import tokens  # with numpy, which other processes do not need

    dimension, texts = len(query.vector), list(codes.values())
    forms = [tokens.unpacked(form, dimension) for form in query.tokens]
    each = [values.tolist() for values in tokens.similarities(forms, texts)]
    return {record: sum(values) / len(each) for record, *values in zip(codes, *each, strict=True)}
