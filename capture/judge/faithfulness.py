"""Whether a rewrite says no more than its source, as far as its words show."""

from __future__ import annotations

import re
from collections.abc import Sequence

from capture.local.extraction.languages import is_in_another_language
from capture.merging.likeness import objects_differ
from capture.merging.words import figures, figures_in_order, is_negated, plain_words, stems

MAX_REWRITE = 300  # characters
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[\w@~$./\\-]*[\w/]")
_JOINING = stems("due thus therefore so reason causes means needs requires uses")
_STRONG = frozenset({"all", "always", "any", "every", "must", "only"})  # which `stems` leaves out
_SENTENCE_END = re.compile(r"[.!?]\s+[A-Z`]")


def is_faithful(rewrite: str, source: str) -> bool:
    """Return whether `rewrite` is one sentence without a name, path, number or negation that `source` does not have.

    Names are code, words with a digit, a capital after the first letter, or a `/`, `_` or inner `.`, and capitalized
    words other than the first one. Other words must be in the source as well, save those that join clauses; numbers
    must stand in the same order, and a contrast ("not X") be about the same thing. In other languages than English the
    rewrite must be a part of the source as it stands.
    """
    if not rewrite or len(rewrite) > MAX_REWRITE or _SENTENCE_END.search(rewrite):
        return False
    if is_in_another_language(source) or is_in_another_language(rewrite):
        return _is_part(plain_words(rewrite), plain_words(source))
    if not figures(rewrite) <= figures(source) or is_negated(rewrite) != is_negated(source):
        return False
    if not _is_in_order(figures_in_order(rewrite), figures_in_order(source)) or objects_differ(rewrite, source):
        return False
    if stems(rewrite) - stems(source) - _JOINING or _STRONG.intersection(plain_words(rewrite)) - {*plain_words(source)}:
        return False
    known = source.lower()
    words = [match for match in _NAME.finditer(_CODE.sub(" ", rewrite)) if _is_name(match[0], first=match.start() == 0)]
    names = [*_CODE.findall(rewrite), *(match[0] for match in words)]
    return all(_occurs(name.lower(), known) for name in names)


def _is_part(words: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether `words` stand in `whole` one after the other."""
    return bool(words) and any(whole[at : at + len(words)] == words for at in range(len(whole)))


def _is_in_order(some: Sequence[str], every: Sequence[str]) -> bool:
    """Return whether `some` are among `every` in the same order."""
    rest = iter(every)
    return all(each in rest for each in some)


def _is_name(word: str, *, first: bool) -> bool:
    if any(character.isdigit() or character in "/\\_@~$" for character in word) or "." in word[1:-1]:
        return True
    return any(character.isupper() for character in (word[1:] if first else word))


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
