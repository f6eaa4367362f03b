r"""Computes from a regular expression which literals every text that it matches contains.

Whatever `\bthe (?:root )?cause (?:is|was)\b.{9,}` matches contains "the root cause is", "the root cause was",
"the cause is" or "the cause was". Such a set is a requirement; a pattern may have several, and a text that misses
one need not be searched. What matches more than a few texts (`.`, `\w+`) contributes nothing and separates the
literals before it from those after it.

The syntax is that of `re`, without flags, back references, named and conditional groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

BOUNDARY = "\b"
"""Before or after a literal: a word begins or ends there. It is no part of the text."""

Literals = frozenset[str]

_NONE: Literals = frozenset()
_EMPTY: Literals = frozenset({""})
_AT_BOUNDARY: Literals = frozenset({BOUNDARY})
_MOST_LITERALS = 32  # in one requirement
_MOST_CHARACTERS = 4  # of a character class that counts as alternatives
_TOKEN = re.compile(
    r"""(?P<text>[^\\\[\](){}|^$.*+?]+(?![*+?{]))
    |(?P<look>\(\?<?[=!])
    |(?P<open>\((?:\?:|(?!\?)))
    |\[(?P<negated>\^?)(?P<characters>\]?(?:\\.|[^\]\\])*)\]
    |\\u(?P<code>[0-9a-fA-F]{4})
    |\\(?P<escaped>[^NUux0-9])
    |(?P<other>[^()\[\\])""",
    re.VERBOSE | re.DOTALL,
)
_REPEAT = re.compile(r"(?:([*+?])|\{(?=[\d,])(\d*)(?:(,)(\d*))?\})[?+]?")
_WORD = re.compile(r"\w+")
# The share in per cent of the sentences with a word, of 3,845 sentences of agents in 53 real sessions.
_PERCENT = {
    word: percent
    for percent, words in (
        (45, "the"),
        (22, "to"),
        (19, "let me"),
        (15, "and"),
        (12, "a now"),
        (10, "i in is"),
        (9, "for s with"),
        (7, "check it test that"),
        (5, "files from of tests this you"),
        (4, "add all are at on run t what"),
        (3, "already as be but code file fix git if ll need no or session update we when"),
        (
            2,
            (
                "added also both branch by can changes commit config current data directory existing first "
                "function go good had has have here how implementation instead into issue just like line new not "
                "only pass perfect plan project see should so there time type understand up use user verify which "
                "work"
            ),
        ),
        (
            1,
            (
                "actual actually after an any because been before build call change create did do does doesn done "
                "each empty error every everything find fixed found full help issues its key last list logic look "
                "main make message missing more my next one open output package parameter path please point read "
                "ready real returns right running same set setup simple since some start state still structure "
                "summary support sure system their them then these they through tool two updated used uses using "
                "via want was were where will without works would your"
            ),
        ),
    )
    for word in words.split()
}
_RANGE_OR_CATEGORY = re.compile(r"\\\w|[^\\]-.", re.DOTALL)


def required_literals(pattern: str) -> tuple[Literals, ...]:
    """Return the requirements of `pattern`: what it matches contains, `BOUNDARY` marks aside, a literal of each.

    Raise `ValueError` for syntax that is not supported.
    """
    part, end = _read_alternatives(pattern, 0, _EMPTY)
    if end != len(pattern):
        raise ValueError(f"unbalanced parenthesis at {end}: {pattern}")
    return part.requirements()


def rarest(requirements: Iterable[Literals]) -> Literals:
    """Return the requirement whose key words are likely to be in the fewest texts, an empty set if there is none."""
    candidates = list(requirements)
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=lambda literals: sum(map(_frequency, set(map(key_word, literals)))), default=_NONE)


@cache  # the same literals are in many patterns
def key_word(literal: str) -> str:
    """Return the rarest word of `literal`, with `BOUNDARY` marks where the word is known to begin or to end.

    A literal without words has its longest piece of punctuation for a key.
    """
    words = [
        BOUNDARY * (match.start() > 0) + match[0] + BOUNDARY * (match.end() < len(literal))
        for match in _WORD.finditer(literal)
    ]
    return min(words, key=_frequency) if words else max(literal.split(), key=len)


@cache  # the same words are in many patterns
def _frequency(key: str) -> float:
    """Return a rough estimate of the share of sentences with a key word: a longer one is rarer, unless it is usual.

    What may be anywhere in a word is frequent.
    """
    if not key.startswith(BOUNDARY):
        return 3.0
    word = key.strip(BOUNDARY)
    if key.endswith(BOUNDARY):
        return _PERCENT.get(word, 0) / 100 or 3.0 ** -len(word) / 10
    return 3.0 ** -len(word) / 10 + _percent_of_beginnings().get(word, 0) / 100


@cache
def _percent_of_beginnings() -> dict[str, int]:
    """Return for each beginning of a usual word the sum of the shares of the words that begin so."""
    sums: dict[str, int] = {}
    for word, percent in _PERCENT.items():
        for end in range(len(word) + 1):
            sums[word[:end]] = sums.get(word[:end], 0) + percent
    return sums


@dataclass
class _Part:
    """What is known about the texts that a part of a pattern matches.

    They end with a literal of `tail`, and are no more than that while `is_exact`. `closed` are the requirements of
    the part before the tail.
    """

    tail: Literals
    closed: list[Literals] = field(default_factory=list)
    is_exact: bool = True

    def append(self, item: _Part, least: int, most: float) -> None:
        """Add `item`, which occurs at least `least` and at most `most` times."""
        if item.is_exact and most == 1:
            literals = item.tail if least else item.tail | _EMPTY
            if len(self.tail) * len(literals) > _MOST_LITERALS:
                self._close_tail(self.boundary())
            self.tail = frozenset(left + right for left in self.tail for right in literals)
        else:
            at_boundary = item.boundary() == _AT_BOUNDARY and (least > 0 or self.boundary() == _AT_BOUNDARY)
            self._close_tail(_AT_BOUNDARY if at_boundary else _EMPTY)
            self.closed += item.requirements() if least else ()

    def boundary(self) -> Literals:
        """Return what is known of the place after the texts: a boundary, unless they may end within a word."""
        never_within = all(literal and not _is_word(literal[-1]) for literal in self.tail)
        return _AT_BOUNDARY if never_within else _EMPTY

    def requirements(self) -> tuple[Literals, ...]:
        """Return the requirements of the whole part."""
        last = frozenset(map(_normalised, self.tail))
        return tuple(self.closed) if "" in last else (*self.closed, last)

    def _close_tail(self, tail: Literals) -> None:
        self.closed = list(self.requirements())
        self.tail = tail
        self.is_exact = False


def _read_alternatives(pattern: str, position: int, start: Literals) -> tuple[_Part, int]:
    """Read up to the end of a group or of the pattern; return what was read and the position of that end."""
    branches = []
    while True:
        branch, position = _read_sequence(pattern, position, start)
        branches.append(branch)
        if not pattern.startswith("|", position):
            break
        position += 1
    return _joined(branches), position


def _joined(branches: list[_Part]) -> _Part:
    """Return what is known if one of `branches` matches."""
    if len(branches) == 1:
        return branches[0]
    tails = frozenset[str]().union(*(branch.tail for branch in branches))
    if all(branch.is_exact for branch in branches) and len(tails) <= _MOST_LITERALS:
        return _Part(tails)
    at_boundary = all(branch.boundary() == _AT_BOUNDARY for branch in branches)
    part = _Part(_AT_BOUNDARY if at_boundary else _EMPTY, is_exact=False)
    required = [rarest(branch.requirements()) for branch in branches]
    if all(required):
        part.closed.append(frozenset[str]().union(*required))
    return part


def _read_sequence(pattern: str, position: int, start: Literals) -> tuple[_Part, int]:
    """Read up to the next `|` or the end of the group; `start` is what is known of the place before it."""
    sequence = _Part(start)
    while position < len(pattern) and pattern[position] not in "|)":
        item, position = _read_item(pattern, position, sequence)
        least, most, position = _read_repeat(pattern, position)
        sequence.append(item, least, most)
    return sequence, position


def _read_item(pattern: str, position: int, before: _Part) -> tuple[_Part, int]:
    token = _TOKEN.match(pattern, position)
    if token is None:
        raise ValueError(f"unsupported syntax at {position}: {pattern}")
    if not (token["look"] or token["open"]):
        return _single(token), token.end()
    part, end = _read_alternatives(pattern, token.end(), before.boundary())
    if not pattern.startswith(")", end):
        raise ValueError(f"unclosed parenthesis at {position}: {pattern}")
    return (_Part(_EMPTY) if token["look"] else part), end + 1


def _single(token: re.Match[str]) -> _Part:
    """Return what is known about plain text, a character, a class of characters or an anchor."""
    escaped, other = token["escaped"], token["other"]
    if token["characters"] is not None:
        return _character_class(token["characters"], negated=bool(token["negated"]))
    if escaped == "b" or other == "^":
        return _Part(_AT_BOUNDARY)
    if escaped in ("A", "B", "Z") or other == "$":
        return _Part(_EMPTY)
    if other == "." or (escaped and escaped.isalnum()):
        return _Part(_EMPTY, is_exact=False)
    code = token["code"]
    return _Part(frozenset({token["text"] or (chr(int(code, 16)) if code else other or escaped)}))


def _character_class(characters: str, *, negated: bool) -> _Part:
    alternatives = re.sub(r"\\(\W)", r"\1", characters)
    if negated or len(alternatives) > _MOST_CHARACTERS or _RANGE_OR_CATEGORY.search(characters):
        return _Part(_EMPTY, is_exact=False)
    return _Part(frozenset(alternatives))


def _read_repeat(pattern: str, position: int) -> tuple[int, float, int]:
    """Read the repetition that may stand at `position`; return the least and greatest number and the end."""
    repeat = _REPEAT.match(pattern, position)
    if repeat is None:
        return 1, 1, position
    sign, least, comma, most = repeat.groups()
    if sign:
        return int(sign == "+"), 1 if sign == "?" else float("inf"), repeat.end()
    return int(least or 0), float(most or "inf") if comma else int(least), repeat.end()


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@cache
def _normalised(literal: str) -> str:
    """Return `literal` with a `BOUNDARY` only where it begins or ends with a word, "" if it is blank."""
    text = literal.replace(BOUNDARY, "")
    if not text.strip():
        return ""
    starts = BOUNDARY if literal[0] == BOUNDARY and _is_word(text[0]) else ""
    ends = BOUNDARY if literal[-1] == BOUNDARY and _is_word(text[-1]) else ""
    return starts + text + ends
