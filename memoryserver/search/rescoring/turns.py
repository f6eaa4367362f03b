"""The first results in the course of their conversation, for questions about somebody who speaks in the scope.

An answer often does not say what it is about ("Yeah, about three years now"): the turns before it do. So how near a
turn is to the question, by meaning and token by token, is the mean of it and of the turns beside it:

    (its own + sum of WEIGHTS[distance] * that of the turn at this distance) / (1 + sum of WEIGHTS)

The score is made up of the same parts as that of other questions (`statement`, `tokens`). It counts 1 + LIKELIER times
for each sign that the turn answers: it is by the speaker whom the question names, it has what is asked for
(`questions.answers`), it is no question itself.

Looked at are the first FIRST results, and of the others those that follow one of them within two turns. docs/search.md
says what this finds. The values were chosen on conversations 1 to 3 of `bench/relevance.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from memoryserver.search.engine import EVIDENCE_FLOOR, FUSION, QueryVector, Ranked
from memoryserver.search.plan import Scope
from memoryserver.search.questions import speakers
from memoryserver.search.questions.answers import has_what_is_asked
from memoryserver.search.rescoring import neighbours, scores, tokens
from memoryserver.search.rescoring.neighbours import Conversations

FIRST = 20
"""Results that are looked at whatever they are."""

WEIGHTS = {-1: 0.3, -2: 0.3, 1: 0.1}
"""Of the turns beside one, by distance; its own weight is 1."""

LIKELIER = 0.2
"""How much more the score counts for each sign that a turn answers."""


def ordered(
    ranked: Sequence[Ranked], scope: Scope, query: str, vector: QueryVector, names: Sequence[str]
) -> list[Ranked]:
    """Return `ranked`, best first, in the order that also tokens and the turns beside each decide.

    `names` are those of the speakers whom `query` names. A result without a comparable vector counts as a usual one.
    """
    first = frozenset(row.record_id for row in ranked[:FIRST])
    if not first:
        return []
    conversations = neighbours.around(scope, sorted(first), vector)
    looked_at = [row for row in ranked if row.record_id in first or _follows(row.record_id, first, conversations)]
    changed = _scores(looked_at, query, vector, names, conversations)
    weighed = [row._replace(score=changed[row.record_id]) if row.record_id in changed else row for row in ranked]
    return sorted(weighed, key=lambda row: -row.score)


def _follows(record: int, first: frozenset[int], conversations: Conversations) -> bool:
    """Return whether it is one of the two turns after one of the `first`."""
    beside = conversations.beside.get(record, {})
    return not first.isdisjoint([beside.get(-1), beside.get(-2)])


def _scores(
    rows: Sequence[Ranked], query: str, vector: QueryVector, names: Sequence[str], conversations: Conversations
) -> dict[int, float]:
    near = conversations.records
    cosines = {record: row.cosine for record, row in near.items() if row.cosine is not None}
    cosines |= {row.record_id: row.cosine for row in rows if row.cosine is not None}  # an entry's best of its axes
    similarities = tokens.similarities(vector, {record: row.codes for record, row in near.items()})
    by_meaning = scores.parts(_in_context(rows, cosines, conversations))
    by_token = scores.parts(_in_context(rows, similarities, conversations), tokens.WEIGHT)
    return {
        row.record_id: (by_meaning.get(row.record_id, 0.0) + by_token.get(row.record_id, 0.0) + _by_words(row))
        * (1 + LIKELIER) ** (_signs(near[row.record_id], query, names) if row.record_id in near else 0)
        for row in rows
    }


def _in_context(
    rows: Sequence[Ranked], similarities: Mapping[int, float], conversations: Conversations
) -> dict[int, float]:
    """Return the mean of each row's similarity and of those beside it, by record; {} if there are no similarities.

    One that is missing counts as the median of those of the rows.
    """
    known = [similarities[row.record_id] for row in rows if row.record_id in similarities]
    if not known:
        return {}
    usual = median(known)

    def mean(record: int) -> float:
        beside = conversations.beside.get(record, {})
        total = similarities.get(record, usual)
        for distance, weight in WEIGHTS.items():
            neighbour = beside.get(distance)
            total += weight * (usual if neighbour is None else similarities.get(neighbour, usual))
        return total / (1 + sum(WEIGHTS.values()))

    return {row.record_id: mean(row.record_id) for row in rows}


def _by_words(row: Ranked) -> float:
    """Return the part of the score that the ranking by words gave, as `statement.EVIDENCE` has it."""
    if row.lexical_rank is None:
        return 0.0
    return max((row.share - EVIDENCE_FLOOR) / (1 - EVIDENCE_FLOOR), 0) / (FUSION + row.lexical_rank)


def _signs(record: neighbours.Nearby, query: str, names: Sequence[str]) -> int:
    """Return how many signs `record` has that it answers `query`."""
    return (
        any(speakers.is_spoken_by(name, record.text) for name in names)
        + has_what_is_asked(record.text, query)
        + (not record.asks)
    )
