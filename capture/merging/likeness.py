"""Whether two wordings say the same.

Embeddings of sentences are near each other when they are about the same: "use npm, not pnpm" is as near to "use pnpm,
not npm" as any rewording of it is. So vectors only give candidates, and the words decide: two wordings differ if their
figures or negations differ, if what follows a contrast or an order ("not", "before") does, or if each has words that
the other lacks. `bench/duplicates.py` measures it.
"""

from __future__ import annotations

import re

from memoryserver.common.text import one_line

MIN_COSINE = 0.8
_MIN_SHARED = 0.7
"""The least share of all words of two wordings that both must have."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not?|never|none|nothing|cannot|\w+n['’]t|without|refuses?|unless|instead of|rather than)\b", re.IGNORECASE
)
_OBJECT = re.compile(r"\b(not|instead of|rather than|over|before|after)\b([^,;.:]*)", re.IGNORECASE)
_ORDERS = ("before", "after")

_SAME_MEANING = {
    word: words[0]
    for words in (
        ("need", "require", "necessary"),
        ("use", "prefer"),
        ("fail", "break"),
        ("repository", "repo", "project"),
        ("hang", "stuck"),
        ("start", "launch"),
        ("directory", "folder"),
        ("night", "nightly"),
        ("day", "daily"),
        ("cause", "reason"),
        ("delete", "remove"),
        ("show", "display"),
        ("below", "under"),
    )
    for word in words
}
_FILLER = re.compile(
    r"a|an|the|this|that|these|those|it|its|of|in|on|at|to|for|from|by|with|as|and|or|so|which|who|is|are|was|were|be|been"
    r"|being|am|do|does|did|done|has|have|had|having|will|would|can|could|may|might|shall|should|must|always|every|each|all"
    r"|any|please|here|there|our|we|you|your|i|my|they|their|them|us|if|when|while|then|than|also|just|very|instead|rather"
    r"|over|before|after|get|gets|got|per|via|into|out|up|make|makes|sure|since|because"
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "e", "s")
_MIN_STEM = 3


def say_the_same(first: str, second: str) -> bool:
    """Return whether two wordings, whose vectors are near each other, say the same.

    In doubt they do not: a learning that is shown twice does less harm than one that is hidden behind another.
    """
    first, second = one_line(first), one_line(second)
    if sorted(set(_NUMBER.findall(first))) != sorted(set(_NUMBER.findall(second))):
        return False
    if bool(_NEGATION.search(first)) != bool(_NEGATION.search(second)):
        return False
    if _objects_differ(first, second):
        return False
    words, others = _words(first), _words(second)
    if words - others and others - words:
        return False
    return len(words & others) >= _MIN_SHARED * len(words | others) > 0


def _objects_differ(first: str, second: str) -> bool:
    """Return whether what follows a contrast or an order has no word in common, as in "pnpm, not npm"."""
    objects, others = _objects(first), _objects(second)
    return any(objects[kind].isdisjoint(others[kind]) for kind in objects.keys() & others.keys())


def _objects(text: str) -> dict[str, set[str]]:
    objects: dict[str, set[str]] = {}
    for marker, words in _OBJECT.findall(text):
        if stems := _words(words):
            kind = marker.lower() if marker.lower() in _ORDERS else "contrast"
            objects.setdefault(kind, set()).update(stems)
    return objects


def _words(text: str) -> set[str]:
    """Return the stems of the words that carry the meaning."""
    words = [word for word in _WORD.findall(text) if not _NEGATION.fullmatch(word)]
    return {_stem(word.lower()) for word in words if _is_name(word) or not _FILLER.fullmatch(word.lower())}


def _is_name(word: str) -> bool:
    return word.isupper() and len(word) > 1  # such as GET


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return _STEMS.get(word, word)


_STEMS: dict[str, str] = {}
_STEMS.update({_stem(word): _stem(first) for word, first in _SAME_MEANING.items()})
