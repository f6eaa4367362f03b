"""Folding of near-equal results into one.

The same thing is often learned by several people, in several projects, or with a word more or less. Of near-equal
results only the best is a hit; the others are named in it.

Two texts are near-equal if one has all words of the other in their order, apart from articles and the like, and at most
one in EXTRA words more, none of them a number or a negation. So texts that contradict each other are never folded:
"tabs, not spaces" and "spaces, not tabs", "retry 3 times" and "retry 5 times", "confirmed" and "falsified".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoryserver.search.engine import Ranked
from memoryserver.search.sources import source_of
from memoryserver.vectors.models import Record

EXTRA = 10

_IGNORED = frozenset(["a", "an", "and", "are", "be", "is", "it", "of", "that", "the", "then", "there", "this", "was"])
# The parts of "don't" and "cannot" are words of their own.
_NEGATIONS = frozenset(["no", "not", "never", "nor", "none", "neither", "without", "cannot", "t", "except", "unless"])


@dataclass(frozen=True)
class Folded:
    """A result and the ids of those that are near-equal to it, best first."""

    best: Ranked
    same: list[str] = field(default_factory=list)


def fold(ranked: Sequence[Ranked]) -> list[Folded]:
    """Fold the near-equal of `ranked`, which is best first, and return the results that remain, in their order.

    A result stands for the whole document, so documents are compared, not the records that were found. A record that
    has been deleted since it was ranked is left out.
    """
    records = Record.objects.only("user_id", "collection", "key", "terms").in_bulk([row.record_id for row in ranked])
    documents = _documents(list(records.values()))
    groups: list[tuple[_Words, Folded]] = []
    by_sequence: dict[tuple[str, ...], Folded] = {}
    for row in ranked:
        record = records.get(row.record_id)
        if record is None:
            continue
        words = _Words.of(documents[record.pk])
        equal = by_sequence.get(words.sequence) or next((folded for other, folded in groups if words.like(other)), None)
        if equal is not None:
            equal.same.append(f"{source_of(record.collection).name}/{record.key}")
            continue
        folded = Folded(row)
        groups.append((words, folded))
        by_sequence[words.sequence] = folded
    return [folded for _, folded in groups]


@dataclass(frozen=True)
class _Words:
    """The words of a text without those that are ignored."""

    sequence: tuple[str, ...]
    distinct: frozenset[str]

    @classmethod
    def of(cls, terms: str) -> _Words:
        sequence = tuple(word for word in terms.split() if word not in _IGNORED)
        return cls(sequence, frozenset(sequence))

    def like(self, other: _Words) -> bool:
        """Return whether both say the same."""
        short, long = sorted((self, other), key=lambda words: len(words.sequence))
        if len(long.sequence) > len(short.sequence) * (1 + 1 / EXTRA) or not short.distinct <= long.distinct:
            return False
        rest = iter(long.sequence)
        in_order = all(word in rest for word in short.sequence)
        return in_order and not any(map(_decides, long.distinct - short.distinct))


def _decides(word: str) -> bool:
    return word in _NEGATIONS or any(map(str.isdigit, word))


def _documents(records: Sequence[Record]) -> Mapping[int, str]:
    """Return the terms of the whole document of each record, by primary key.

    A source's first collection has its documents; of a record that is not there its own terms count.
    """
    main = {record.pk: next(iter(source_of(record.collection).collections)) for record in records}
    parts = [record for record in records if record.collection != main[record.pk]]
    whole: dict[tuple[str, int, str], str] = {}
    if parts:
        rows = Record.objects.filter(
            collection__in={main[record.pk] for record in parts},
            user__in={record.user_id for record in parts},
            key__in={record.key for record in parts},
        )
        for collection, user_id, key, terms in rows.values_list("collection", "user_id", "key", "terms"):
            whole[collection, user_id, key] = terms
    return {record.pk: whole.get((main[record.pk], record.user_id, record.key), record.terms) for record in records}
