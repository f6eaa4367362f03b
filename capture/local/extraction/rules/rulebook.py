"""Rules: regular expressions for statements of something done, found or agreed.

Every sentence of every transcript is matched against all of them, and few sentences match any. So the literals that a
match must contain are computed from each pattern, and a pattern is tried only on a sentence that contains them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from capture.local.extraction import sentence_filters
from capture.local.extraction.patterns import lowercase, one_of
from capture.local.extraction.rules.required_literals import BOUNDARY, Literals, key_word, rarest, required_literals

_MOST_WORDS = 10_000  # remembered by a rulebook
_NO_NUMBERS: frozenset[int] = frozenset()
_WORD = re.compile(r"\w+")
_compiled = cache(re.compile)  # when first needed: most processes need few of them or none


@dataclass(frozen=True, slots=True)
class Rule:
    """Regular expressions for one type of learning, how sure it is and why.

    With `code` the rule holds only for a sentence that names code, a file or a command. It does not hold for a
    sentence in which `unless`, another regular expression, is found. `least` is the least likelihood of a sentence for
    which it holds, whatever its other features say.
    """

    type: str
    confidence: float
    reason: str
    patterns: tuple[str, ...] = ()
    code: bool = False
    unless: str = ""
    least: float = 0.0


def rule(
    kind: str,
    confidence: float,
    reason: str,
    *patterns: str,
    code: bool = False,
    unless: str = "",
    least: float = 0.0,
) -> Rule:
    """Return a `Rule` whose patterns are matched without regard to case."""
    return Rule(kind, confidence, reason, tuple(map(lowercase, patterns)), code, lowercase(unless), least)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A pattern, its rule, and sets of texts: a sentence that the pattern matches contains one of each set."""

    rule: Rule
    pattern: str
    required: tuple[tuple[str, ...], ...]


class Rulebook:
    """Rules in order of precedence.

    The first call of `first` raises `ValueError` if a pattern requires no literal.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)

    def first(self, lowered: str, text: str) -> Rule | None:
        """Return the first rule that holds for the sentence `text`; `lowered` is its lower case without quotations."""
        entries, possible = self._index
        for number in sorted(frozenset().union(*map(possible.__getitem__, lowered.split()))):
            entry = entries[number]
            if _contains_all(lowered, entry.required) and _holds(entry, lowered, text):
                return entry.rule
        return None

    @cached_property
    def _index(self) -> tuple[list[_Entry], _PossibleEntries]:
        entries: list[_Entry] = []
        numbers: dict[str, set[int]] = {}
        for rule in self.rules:
            for pattern in rule.patterns:
                requirements = required_literals(pattern)
                if not requirements:
                    raise ValueError(f"requires no literal: {pattern}")
                for literal in rarest(requirements):
                    numbers.setdefault(key_word(literal), set()).add(len(entries))
                entries.append(_Entry(rule, pattern, tuple(sorted(map(_texts, requirements), key=len))))
        return entries, _PossibleEntries(numbers)


class _PossibleEntries(dict[str, frozenset[int]]):
    """The numbers of the entries whose patterns may match a sentence with a word in it.

    A word is the text between two blanks, with its punctuation; it is looked up in `numbers` when it is first met.
    """

    def __init__(self, numbers: dict[str, set[int]]) -> None:
        super().__init__()
        self._numbers = {key: frozenset(entries) for key, entries in numbers.items()}
        self._anywhere = {
            key.strip(BOUNDARY): entries for key, entries in numbers.items() if not key.startswith(BOUNDARY)
        }

    def __missing__(self, word: str) -> frozenset[int]:
        numbers = set[int]().union(*(entries for text, entries in self._anywhere.items() if text in word))
        for match in _WORD.finditer(word):
            token = BOUNDARY + match[0] + BOUNDARY
            for end in range(2, len(token) + 1):
                numbers |= self._numbers.get(token[:end], _NO_NUMBERS)
        if len(self) >= _MOST_WORDS:
            self.clear()
        return self.setdefault(word, frozenset(numbers))


def _texts(literals: Literals) -> tuple[str, ...]:
    """Return `literals` without marks, and without those that contain another of them."""
    texts = sorted({literal.strip(BOUNDARY) for literal in literals}, key=lambda text: (len(text), text))
    return tuple(text for place, text in enumerate(texts) if not any(other in text for other in texts[:place]))


def _contains_all(lowered: str, required: tuple[tuple[str, ...], ...]) -> bool:
    for texts in required:
        for text in texts:
            if text in lowered:
                break
        else:
            return False
    return True


def _holds(entry: _Entry, lowered: str, text: str) -> bool:
    rule = entry.rule
    return (
        _compiled(entry.pattern).search(lowered) is not None
        and not (rule.code and not sentence_filters.names_code(text))
        and not (rule.unless and _compiled(rule.unless).search(lowered))
    )


FLAW = (
    r"(?:vulnerabilit(?:y|ies)|CVE-\d{4}-\d+|XSS|CSRF|SSRF|XXE|IDOR|RCE|ReDoS|zip slip|open redirect|timing attack"
    r"|(?:SQL|LDAP|command|code|shell|header|log|template|prompt) injection|(?:path|directory) traversal"
    r"|privilege escalation|remote code execution|session fixation|prototype pollution|clickjacking"
    r"|auth(?:entication|orization|orisation)? bypass|insecure deseriali[sz]ation)"
)
SECRETS = (
    r"(?:secrets?|(?:session |access |auth |refresh )?tokens?|credentials?|passwords?|api[ -]keys?|private keys?"
    r"|(?:signing|encryption|deploy) keys?)"
)
DID = (
    r"\b(?:I|we|I've|we've|I have|we have|he|she|they|the team)\b"
    r"(?: (?:have|had|also|just|then|now|finally|already|therefore|so))*"
)
TROUBLE = one_of(
    r"issues? problems? bugs? errors? failures? crash(?:es)? regressions? hangs? deadlocks? races? leaks? "
    r"mismatch(?:es)?"
    r" flak(?:e|es|iness) slowdowns? timeouts? latency duplicates? outages? corruption warnings? conflicts? "
    r"freez(?:e|es)"
    r" exceptions? 404s? 500s? 502s? 503s? 504s?"
)
BROKE = one_of(
    r"fail(?:ed|s|ing)? crash(?:ed|es|ing) broken? breaks h[au]ngs? hanging timed\sout died dies deadlock(?:ed|s)"
    r" leak(?:ed|s) flaky red stuck empty wrong missing slow lost duplicated blank stale refus(?:ed|es) reject(?:ed|s)"
    r" disappear(?:ed|s) vanish(?:ed|es) inconsistent truncated corrupted? skipped 404 500"
)
# Words for a figure and what it may measure; a length on a page, a version and an argument count measure nothing.
NUMBER = (
    r"(?:\d[\d.,]*(?:k|m)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|a hundred)"
)
MEASURE = (
    r"(?:ms|milliseconds?|[\u00b5\u03bcu]s|ns|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|[kmgt]i?b|bytes|%|percent"
    r"|per cent|fps|qps|rps|queries|requests|calls|allocations|round[- ]trips|(?:inserts|rows|req|ops)/s)"
)
