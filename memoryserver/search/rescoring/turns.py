"""The first results in the course of their conversation, for questions about somebody who speaks in the scope.

An answer often does not say what it is about ("Yeah, about three years now"): the turns before it do. So how near a
turn is to the question, by meaning and token by token, is the mean of it and of the turns beside it, with WEIGHTS. Of
turns that are as near one counts more that is by the speaker whom the question names, that has what it asks for
(`questions.answers`), and that does not ask itself.

Looked at are the first FIRST results, and of the others those that follow one of them within two turns. Their scores
are made up of the same parts as those of other questions (`statement`, `tokens`). docs/search.md says what this finds,
and on which dialogues the values were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from memoryserver.search.engine import EVIDENCE_FLOOR, FUSION, QueryVector, Ranked
from memoryserver.search.plan import Scope
from memoryserver.search.questions import speakers
from memoryserver.search.questions.answers import has_what_is_asked
from memoryserver.search.rescoring import neighbours, scores, tokens

FIRST = 20

WEIGHTS = {-1: 0.3, -2: 0.3, 1: 0.1}
"""Of the turns beside one, by distance; its own is 1."""

LIKELIER = 0.2
"""How much more the score counts for each sign that a turn answers."""


def ordered(
    ranked: Sequence[Ranked], scope: Scope, query: str, vector: QueryVector, names: Sequence[str]
) -> list[Ranked]:
    """Return `ranked`, best first, in the order that also tokens and the turns beside each decide.

    `names` are those of the speakers whom `query` names.
    """
    first = [row.record_id for row in ranked[:FIRST]]
    found = neighbours.around(scope, first, vector)
    looked_at = [row for row in ranked if _is_near(row.record_id, frozenset(first), found)]
    if not looked_at:
        return list(ranked)
    new = _scores(looked_at, query, vector, names, found)
    weighed = [row._replace(score=new[row.record_id]) if row.record_id in new else row for row in ranked]
    return sorted(weighed, key=lambda row: -row.score)


def _is_near(record: int, first: frozenset[int], found: neighbours.Conversations) -> bool:
    """Return whether it is one of the `first`, or one of the two turns that follow one of them, and is embedded."""
    turn = found.turns.get(record)
    if turn is None or turn.cosine is None:
        return False
    beside = found.beside[record]
    return not first.isdisjoint([record, beside.get(-1, record), beside.get(-2, record)])


def _scores(
    rows: Sequence[Ranked], query: str, vector: QueryVector, names: Sequence[str], found: neighbours.Conversations
) -> dict[int, float]:
    records = [row.record_id for row in rows]
    cosines = {record: turn.cosine for record, turn in found.turns.items() if turn.cosine is not None}
    by_token = tokens.similarities(vector, {record: turn.codes for record, turn in found.turns.items()})
    by_meaning = scores.parts(_in_context(records, cosines, found))
    by_token = scores.parts(_in_context(records, by_token, found), tokens.WEIGHT) if by_token else {}
    return {
        row.record_id: (by_meaning[row.record_id] + by_token.get(row.record_id, 0.0) + _by_words(row))
        * (1 + LIKELIER) ** _signs(found.turns[row.record_id].text, query, names)
        for row in rows
    }


def _in_context(
    records: Sequence[int], similarities: Mapping[int, float], found: neighbours.Conversations
) -> dict[int, float]:
    """Return the mean of each record's similarity and those beside it; one that is missing counts as a usual one."""
    usual = median(similarities[record] for record in records)
    return {
        record: (
            similarities[record]
            + sum(
                weight * similarities.get(found.beside[record].get(distance, 0), usual)
                for distance, weight in WEIGHTS.items()
            )
        )
        / (1 + sum(WEIGHTS.values()))
        for record in records
    }


def _by_words(row: Ranked) -> float:
    """Return the part of the score that the ranking by words gave, as `statement` has it."""
    if row.lexical_rank is None:
        return 0.0
    return max((row.share - EVIDENCE_FLOOR) / (1 - EVIDENCE_FLOOR), 0) / (FUSION + row.lexical_rank)


def _signs(text: str, query: str, names: Sequence[str]) -> int:
    """Return how many signs `text` has that it answers `query`."""
    return (
        any(speakers.is_spoken_by(name, text) for name in names)
        + has_what_is_asked(text, query)
        + (not text.rstrip().endswith("?"))
    )
