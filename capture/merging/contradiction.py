"""Whether a later learning contradicts an earlier one, by their words; their vectors only give candidates.

Two learnings about the same thing contradict each other if the later one rejects what the earlier one says ("not X",
"X no longer works"), if one of them is negated and the other is not, or if they have another value in the same place.
All other words must agree, so that another case, another thing or an addition is not taken for a contradiction: a wrong
one costs a person's time, a missed one leaves things as they are. Where the later one names what it replaces, a command
or a figure, other words may differ (`replacement`).

Of 32 contradicting pairs that were labelled before the rule was written 26 are recognised, and none of the 34 hard ones
that do not contradict (`python -m bench.contradictions`). The same hand wrote both. Among all near pairs of the 1,814
labelled sentences of real sessions, in which no contradiction was known, five are taken for one.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from capture.merging.likeness import say_the_same
from capture.merging.replacement import replacement
from capture.merging.words import stems
from memoryserver.common.text import one_line

Reason = Literal["rejected", "negation", "value"]
REASONS: tuple[Reason, ...] = get_args(Reason)
STATED = "stated"  # said by the person or agent who stored the later one, not found here

MIN_COSINE = 0.5
_MAX_STEMS = 14
"""Longer statements say several things, of which only one may be contradicted."""
_MIN_SHARED, _MAX_ADDED = 2, 1  # words that both of two opposite clauses have, and that only one of them has
_MIN_WORDS = 5  # of a clause with a value; shorter ones are headings

_CODE = r"`[^`]+`"
_QUOTED = re.compile(rf"{_CODE}|\"[^\"]*\"")
_WORD = rf"({_CODE}|[\w~./+-]*\w)"
_INSIDE = r"(?: (?:be|in|into|with|as|at|on|to|the|a|an))*"
_REJECTION = re.compile(
    rf"(?:(?:^|[.,;:] )(?:please )?(?:do not|don['’]t|never)(?: (?:use|run|call|put))?|, not|\bbut not|\band not"
    rf"|\bover|\binstead of|\brather than){_INSIDE} {_WORD}",
    re.IGNORECASE,
)
_PREFERRED = re.compile(
    rf"({_CODE})[\w ]{{0,30}}(?:, not|,? but not|,? and not|,? instead of|,? rather than| over)\b", re.IGNORECASE
)
_GONE = re.compile(
    rf"\bwe replaced ({_CODE}) (?:with|by)\b"
    rf"|({_CODE}) (?:no longer (?:works|exists)|is (?:deprecated|gone)|was (?:removed|replaced))",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?:,|\b) ?\b(?:and not|but not|instead of|rather than)\b[^,;.]*|, (?:not|never)\b[^,;.]*", re.IGNORECASE
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no longer|none|cannot|\w+n['’]t|refuse[sd]?|fail(?:s|ed)?|breaks?|forbidden|optional)\b",
    re.IGNORECASE,
)
_POLARITY = re.compile(
    r"\b(?:longer|any ?more|refuse[sd]?|fail(?:s|ed)?|breaks?|forbidden|optional|accept(?:s|ed)?|works?|succeeds?"
    r"|supports?|allowed|allows?|fine|need(?:s|ed)?|require[sd]?|necessary|only|running)\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\b(?:unless|except|until|without|missing|no(?! longer)|(?:did|was|were|had) not|(?:did|was|were|had)n['’]t)\b",
    re.IGNORECASE,
)
"""Words with which a clause may have the meaning of another one, or tell what happened once."""
_CLAUSE_END = re.compile(r"[,;:]\s|\.(?:\s|$)|\s[-–—]\s|\s(?:but|so|because|since|and)\s")
_PLACES = frozenset({"repository", "put", "go", "live"})  # do not say which thing is meant
_NUMBER_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}
_NUMBER_WORD = re.compile(r"\b(after|least|than) (one|two|three|four|five|ten)\b", re.IGNORECASE)
_VALUES = re.compile(
    r"(?P<number>(?<![\w.`/-])\d+(?:[.,:]\d+)*(?![\w`]))"
    r"|\b(?:with|from|into|is|by|to)\s(?P<code>`[^`\s]+`)"  # not commands: several may do the same
    r"|\b(?:is|are|as|in|by|with|from|into)\s(?P<name>[A-Z]\w*)"
)
_NUMBERED = re.compile(
    r"(?:(?:on|in|at|of) )?(?:the )?(?:channel|code|error|host|instance|node|page|partition|phase|port|rack|release"
    r"|replica|server|shard|slot|stage|status|step|version|worker|zone)s? \d",
    re.IGNORECASE,
)
"""The figure is part of the name of what a clause is about: port 7001 may serve what port 7002 serves."""


def contradiction(earlier: str, later: str) -> Reason | None:
    """Return why `later` contradicts `earlier`, two learnings whose vectors are near each other, or None."""
    earlier, later = one_line(earlier), one_line(later)
    if say_the_same(earlier, later):
        return None
    return _as_a_whole(earlier, later) or replacement(earlier, later)


def _as_a_whole(earlier: str, later: str) -> Reason | None:
    """Return why one statement contradicts the other, each of which says a single thing."""
    if "?" in earlier + later or max(len(stems(earlier)), len(stems(later))) > _MAX_STEMS:
        return None
    if _rejects(earlier, later):
        return "rejected"
    if _is_negation(earlier, later):
        return "negation"
    return "value" if _has_other_value(earlier, later) else None


def _rejects(earlier: str, later: str) -> bool:
    """Return whether the later one rejects something that the earlier one says, and is about all the rest of it."""
    if any(_says(earlier, match[1] or match[2]) for match in _GONE.finditer(later)):
        return not _GONE.search(earlier)
    if any(_says(earlier, match[1]) for match in _PREFERRED.finditer(later)):
        return False
    words = stems(later)
    rejected = [match[1] for match in _REJECTION.finditer(later) if stems(match[1]) and _says(earlier, match[1])]
    return any(bool(rest := stems(earlier) - stems(part) - _PLACES) and rest <= words for part in rejected)


def _says(earlier: str, part: str) -> bool:
    """Return whether `earlier` has the words `part`, and does not reject them itself."""
    rejects = any(part.strip("`").lower() == match[1].strip("`").lower() for match in _REJECTION.finditer(earlier))
    name = re.escape(part.strip("`").lower())
    return not rejects and bool(re.search(rf"(?<![\w/.-]){name}(?![\w/-])", earlier.lower()))


def _is_negation(earlier: str, later: str) -> bool:
    """Return whether two of their clauses have the same words, and one of these clauses is negated."""
    clauses, others = _clauses(earlier), _clauses(later)
    return any(_opposes(clause, other) for clause in clauses for other in others)


def _clauses(text: str) -> list[str]:
    clauses = _CLAUSE_END.split(_CONTRAST.sub("", text))
    return [clause for clause in clauses if not _UNCLEAR.search(clause)]


def _opposes(clause: str, other: str) -> bool:
    words, others = stems(_POLARITY.sub("", clause)), stems(_POLARITY.sub("", other))
    return (
        len(words & others) >= _MIN_SHARED
        and len(words ^ others) <= _MAX_ADDED
        and _is_negative(clause) != _is_negative(other)
    )


def _is_negative(text: str) -> bool:
    return len(_NEGATIVE.findall(_QUOTED.sub("", text))) % 2 == 1


def _has_other_value(earlier: str, later: str) -> bool:
    """Return whether the first clauses differ only in figures, or in the code or name that they end with."""
    clauses = [_NUMBER_WORD.sub(_as_figure, _CLAUSE_END.split(_CONTRAST.sub("", text))[0]) for text in (earlier, later)]
    if (
        _is_negative(clauses[0]) != _is_negative(clauses[1])
        or min(len(clause.split()) for clause in clauses) < _MIN_WORDS
        or any(map(_NUMBERED.match, clauses))
    ):
        return False
    (kinds, values), (other_kinds, other_values) = (_values(clause) for clause in clauses)
    if kinds != other_kinds or not values or not values.isdisjoint(other_values):
        return False
    frame, other_frame = (stems(_VALUES.sub(" ", clause)) - _PLACES for clause in clauses)
    return frame == other_frame and bool(frame - {"use", "run"})


def _values(clause: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the kinds of the values in `clause`, and the values."""
    matches = list(_VALUES.finditer(clause))
    return frozenset(str(match.lastgroup) for match in matches), frozenset(_value_of(match) for match in matches)


def _value_of(match: re.Match[str]) -> str:
    return str(match[match.lastgroup or 0]).strip("`").lower()


def _as_figure(match: re.Match[str]) -> str:
    return f"{match[1]} {_NUMBER_WORDS[match[2].lower()]}"
