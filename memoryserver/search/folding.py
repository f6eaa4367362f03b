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
    texts = [_counting_words(documents[row.record_id]) for row in ranked]
    near, results = _near(texts), dict[_Words, Folded]()
    for row, words in zip(ranked, texts, strict=True):
        equal = results.get(words)
        if equal is None and words in near:
            equal = next((results[other] for other in near[words] if other in results), None)
        if equal is None:
            results[words] = Folded(row)
        else:
            equal.same.append(f"{source_of(row.collection).name}/{row.key}")
    return list(results.values())


_Words = tuple[str, ...]


def _counting_words(terms: str) -> _Words:
    """Return the words of a text without those that are ignored."""
    return tuple([word for word in terms.split() if word not in _IGNORED])


def _near(texts: Sequence[_Words]) -> Mapping[_Words, Sequence[_Words]]:
    """Return the others of `texts` that are near-equal to each of those that have such ones, in their order.

    A near-equal text that is shorter begins with one of the longer's first words and ends with one of its last: of as
    many as it lacks, and one. So few are compared.
    """
    by_last, near = defaultdict[str, list[_Words]](list), defaultdict[_Words, list[_Words]](list)
    places = {words: place for place, words in enumerate(dict.fromkeys(texts))}
    for words in places:
        by_last["".join(words[-1:])].append(words)
    for words in places:
        length = len(words)
        for last in words[-1 - length // (EXTRA + 1) :]:
            for other in by_last.get(last, ()):
                lacks = length - len(other)
                if 0 < lacks <= length // (EXTRA + 1) and other[0] in words[: lacks + 1] and _extends(words, other):
                    near[words].append(other)
                    near[other].append(words)
    return {words: sorted(others, key=places.__getitem__) for words, others in near.items()}


def _extends(words: _Words, shorter: _Words) -> bool:
    """Return whether `words` have all of `shorter` in their order, and no others that decide."""
    rest = iter(words)
    return all(word in rest for word in shorter) and not any(map(_decides, set(words).difference(shorter)))


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
