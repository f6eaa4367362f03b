"""Whether a rewrite says no more than its source, as far as its words show."""

from __future__ import annotations

import re

from capture.merging.words import figures, is_negated

MAX_REWRITE = 300  # characters
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[\w@~$./\\-]*[\w/]")
_SENTENCE_END = re.compile(r"[.!?]\s+[A-Z`]")


def is_faithful(rewrite: str, source: str) -> bool:
    """Return whether `rewrite` is one sentence without a name, path, number or negation that `source` does not have.

    Names are code, words with a digit, a capital after the first letter, or a `/`, `_` or inner `.`, and capitalized
    words other than the first one.
    """
    if not rewrite or len(rewrite) > MAX_REWRITE or _SENTENCE_END.search(rewrite):
        return False
    if not figures(rewrite) <= figures(source) or is_negated(rewrite) != is_negated(source):
        return False
    known = source.lower()
    words = [match for match in _NAME.finditer(_CODE.sub(" ", rewrite)) if _is_name(match[0], first=match.start() == 0)]
    names = [*_CODE.findall(rewrite), *(match[0] for match in words)]
    return all(_occurs(name.lower(), known) for name in names)


def _is_name(word: str, *, first: bool) -> bool:
    if any(character.isdigit() or character in "/\\_@~$" for character in word) or "." in word[1:-1]:
        return True
    return any(character.isupper() for character in (word[1:] if first else word))


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
