"""Whether two wordings say the same.

Embeddings of sentences are near each other when they are about the same: "use npm, not pnpm" is as near to "use pnpm,
not npm" as any rewording of it is. So vectors only give candidates, and the words decide: two wordings differ if their
figures, commands, paths, names in code or negations differ, if what follows a contrast or an order ("not", "before")
does, or if each has words that the other lacks. In languages other than English, whose negations are not known, all
words must be the same and in the same order. `bench/duplicates.py` measures it.
"""

from __future__ import annotations

from capture.local.extraction.languages import is_in_another_language
from capture.local.extraction.naming import name_the_same
from capture.merging.words import figures, is_negated, literals, objects, plain_words, stems
from memoryserver.common.text import one_line

MIN_COSINE = 0.75
_MIN_SHARED = 0.7
"""The least share of all words of two wordings that both must have."""


def say_the_same(first: str, second: str) -> bool:
    """Return whether two wordings, whose vectors are near each other, say the same.

    In doubt they do not: a learning that is shown twice does less harm than one that is hidden behind another.
    """
    first, second = one_line(first), one_line(second)
    if is_in_another_language(first) or is_in_another_language(second):
        return plain_words(first) == plain_words(second) != []
    if (
        figures(first) != figures(second)
        or literals(first) != literals(second)
        or is_negated(first) != is_negated(second)
        or not name_the_same(first, second)
    ):
        return False
    if objects_differ(first, second):
        return False
    words, others = stems(first), stems(second)
    if words - others and others - words:
        return False
    return len(words & others) >= _MIN_SHARED * len(words | others) > 0


def objects_differ(first: str, second: str) -> bool:
    """Return whether what follows a contrast or an order has no word in common, as in "pnpm, not npm"."""
    own, others = objects(first), objects(second)
    return any(own[kind].isdisjoint(others[kind]) for kind in own.keys() & others.keys())
