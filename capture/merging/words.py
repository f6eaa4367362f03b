"""The words of a learning that carry its meaning: stems, figures, negations, and objects of contrasts and orders."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_PATH = re.compile(r"[\w~.@$-]*/[\w~.@$/-]*\w")
_COMMAND = re.compile(r"`([^`\s]+\s[^`]+)`")
_NEGATION = re.compile(
    r"\b(?:not?|never|none|nothing|missing|lacks?|cannot|\w+n['’]t|without|refuses?|unless|instead of|rather than)\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(r"\bprefer(?:s|red)?\b[^,;.]* over\b", re.IGNORECASE)
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
        ("depend", "rely"),
    )
    for word in words
}
_IRREGULAR = {
    "built": "build",
    "found": "find",
    "held": "hold",
    "kept": "keep",
    "ran": "run",
    "relied": "rely",
    "relies": "rely",
    "sent": "send",
    "shown": "show",
    "taken": "take",
    "went": "go",
    "written": "write",
    "wrote": "write",
}
_TIMES_OUT = re.compile(r"\btim(?:e[sd]?|ing) out\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_FILLER = re.compile(
    r"a|an|the|this|that|these|those|it|its|of|in|on|at|to|for|from|by|with|as|and|or|so|which|who|is|are|was|were|be|been"
    r"|being|am|do|does|did|done|has|have|had|having|will|would|can|could|may|might|shall|should|must|always|every|each|all"
    r"|any|please|here|there|our|we|you|your|i|my|they|their|them|us|if|when|while|then|than|also|just|very|instead|rather"
    r"|over|before|after|get|gets|got|per|via|into|out|up|make|makes|sure|since|because"
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "e", "s")
_MIN_STEM = 3


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry the meaning."""
    plain = _POSSESSIVE.sub("", _TIMES_OUT.sub("timeout", text))
    words = [word for word in _WORD.findall(plain) if not _NEGATION.fullmatch(word)]
    return frozenset(_stem(word.lower()) for word in words if _is_name(word) or not _FILLER.fullmatch(word.lower()))


def plain_words(text: str) -> list[str]:
    """Return the words of `text` as they stand, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def figures(text: str) -> frozenset[str]:
    """Return the numbers in `text`, as written."""
    return frozenset(_NUMBER.findall(text))


def figures_in_order(text: str) -> list[str]:
    """Return the numbers in `text`, as written and in their order."""
    return _NUMBER.findall(text)


def literals(text: str) -> frozenset[str]:
    """Return the commands in back-ticks, and the paths and addresses: an added or moved word makes another one."""
    return frozenset(_COMMAND.findall(text)) | frozenset(_PATH.findall(_COMMAND.sub(" ", text)))


def is_negated(text: str) -> bool:
    """Return whether `text` has a negation or a contrast."""
    return bool(_NEGATION.search(text) or _PREFERENCE.search(text))


def objects(text: str) -> dict[str, set[str]]:
    """Return the stems of what follows a contrast or an order, by kind: "contrast", "before" or "after"."""
    by_kind: dict[str, set[str]] = {}
    for marker, words in _OBJECT.findall(text):
        if object_stems := stems(words):
            kind = marker.lower() if marker.lower() in _ORDERS else "contrast"
            by_kind.setdefault(kind, set()).update(object_stems)
    return by_kind


def _is_name(word: str) -> bool:
    return word.isupper() and len(word) > 1  # such as GET


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return _STEMS.get(word, word)


_STEMS: dict[str, str] = {}
_STEMS.update({_stem(word): _stem(first) for word, first in _SAME_MEANING.items()})
