"""Folding of near-equal results into one.

The same thing is often learned by several people, in several projects, or with a word more or less. Of near-equal
results only the best is a hit; the others are named in it.

Two texts are near-equal if one has all words of the other in their order, apart from articles and the like, and at most
one in EXTRA words more, none of them a number or a negation. So texts that contradict each other are never folded:
"tabs, not spaces" and "spaces, not tabs", "retry 3 times" and "retry 5 times", "confirmed" and "falsified".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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

    A result stands for the whole document, so documents are compared, not the records that were found.
    """
    documents = _documents(ranked)
    groups = _Groups()
    for row in ranked:
        words = _Words(documents[row.record_id])
        equal = groups.find(words)
        if equal is None:
            groups.add(words, Folded(row))
        else:
            equal.same.append(f"{source_of(row.collection).name}/{row.key}")
    return groups.results


class _Words:
    """The words of a text without those that are ignored."""

    def __init__(self, terms: str) -> None:
        self.sequence = tuple([word for word in terms.split() if word not in _IGNORED])

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The words without their order; most texts have no other of about their length, and need it never."""
        return frozenset(self.sequence)

    def extends(self, shorter: _Words) -> bool:
        """Return whether this has all words of `shorter` in their order, and no others that decide."""
        if not shorter.distinct <= self.distinct:
            return False
        rest = iter(self.sequence)
        in_order = all(word in rest for word in shorter.sequence)
        return in_order and not any(map(_decides, self.distinct - shorter.distinct))


_Place = tuple[int, str]  # the length of a text, and one of its words


class _Groups:
    """The results so far, by the words of their texts and by the number of those, so that few are compared.

    Of two near-equal texts the shorter ends with one of the longer's last words: of as many as it lacks, and one. So
    each is kept by its last word, for longer texts, and by those that may be a shorter one's. (The first words would
    do as well, but those of a conversation are its speakers.)
    """

    def __init__(self) -> None:
        self.results: list[Folded] = []
        self._by_sequence: dict[tuple[str, ...], Folded] = {}
        self._by_last: defaultdict[_Place, list[tuple[_Words, Folded]]] = defaultdict(list)
        self._by_late: defaultdict[_Place, list[tuple[_Words, Folded]]] = defaultdict(list)

    def add(self, words: _Words, folded: Folded) -> None:
        sequence, entry = words.sequence, (words, folded)
        self.results.append(folded)
        self._by_sequence[sequence] = folded
        if sequence:
            length = len(sequence)
            self._by_last[length, sequence[-1]].append(entry)
            for late in sequence[-1 - length // (EXTRA + 1) :]:
                self._by_late[length, late].append(entry)

    def find(self, words: _Words) -> Folded | None:
        """Return a result that is near-equal to a text of these words."""
        sequence = words.sequence
        if sequence in self._by_sequence:
            return self._by_sequence[sequence]
        length = len(sequence)
        for other_length in range(length - length // (EXTRA + 1), length):
            for late in sequence[other_length - length - 1 :]:
                for other, folded in self._by_last.get((other_length, late), ()):
                    if words.extends(other):
                        return folded
        for other_length in range(length + 1, length + length // EXTRA + 1):
            for other, folded in self._by_late.get((other_length, sequence[-1]), ()):
                if other.extends(words):
                    return folded
        return None


def _decides(word: str) -> bool:
    return word in _NEGATIONS or any(map(str.isdigit, word))


def _documents(ranked: Sequence[Ranked]) -> Mapping[int, str]:
    """Return the terms of the whole document of each result, by the id of its record.

    A source's first collection has its documents; of a record that is not there its own terms count.
    """
    main = {row.record_id: next(iter(source_of(row.collection).collections)) for row in ranked}
    parts = [row for row in ranked if row.collection != main[row.record_id]]
    whole: dict[tuple[str, int, str], str] = {}
    if parts:
        rows = Record.objects.filter(
            collection__in={main[row.record_id] for row in parts},
            user__in={row.user_id for row in parts},
            key__in={row.key for row in parts},
        )
        for collection, user_id, key, terms in rows.values_list("collection", "user_id", "key", "terms"):
            whole[collection, user_id, key] = terms
    return {row.record_id: whole.get((main[row.record_id], row.user_id, row.key), row.terms) for row in ranked}
