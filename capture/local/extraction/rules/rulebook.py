"""What a pattern is: a statement of something done, found or agreed, known by its wording.

Every sentence of every transcript meets all of them, and most are none, so each wording says which words no
match can be without: a sentence's words are looked up, and only wordings that it can be are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from capture.local.extraction import sentence_filters
from capture.local.extraction.patterns import one_of, wording

_LETTER = "[a-z0-9']"
_KEY = 4  # letters of a word that it is looked up by
_MOST_WORDS = 10_000  # remembered
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Wording:
    """A way to put it. Whatever `pattern` matches has a word that begins with one of `stems`, and one of `also` in it.

    A stem of fewer than four letters stands for itself alone. Stems that begin with no letter or digit may be anywhere.
    """

    stems: tuple[str, ...]
    also: tuple[str, ...]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of one type of learning, how sure it is and why.

    `code`: holds only together with a name of code, a file or a command. What `unless` matches is no such statement
    for all that.
    """

    type: str
    confidence: float
    reason: str
    wordings: tuple[Wording, ...]
    code: bool = False
    unless: re.Pattern[str] | None = None


def put(stems: str, pattern: str) -> Wording:
    """A `Wording`: its stems parted by `|`, after an `&` those of `also`, and a regular expression, case aside."""
    first, _, second = stems.partition(" & ")
    return Wording(tuple(first.split("|")), tuple(filter(None, second.split("|"))), wording(pattern))


def rule(
    kind: str,
    confidence: float,
    reason: str,
    *wordings: Wording,
    code: bool = False,
    unless: str = "",
) -> Rule:
    """A `Rule` for sentences in which one of `wordings` is found and `unless`, a regular expression, is not."""
    return Rule(kind, confidence, reason, wordings, code, wording(unless) if unless else None)


class Rulebook:
    """Rules in the order in which they are asked."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._ways = [(one, way) for one in self.rules for way in one.wordings]
        self._by_word: dict[str, list[tuple[str, int]]] = {}
        self._by_sign: dict[str, list[int]] = {}
        # Of words met lately, as they stand between blanks: the wordings that they speak for, a bit for each.
        self._of_word: dict[str, int] = {}
        self._of_bits: dict[int, tuple[int, ...]] = {0: ()}  # the numbers of the bits, for those met lately
        for number, (_, way) in enumerate(self._ways):
            for stem in way.stems:
                if stem[0].isalnum():
                    self._by_word.setdefault(stem[:_KEY], []).append((stem, number))
                else:
                    self._by_sign.setdefault(stem, []).append(number)
        stems = {stem for entries in self._by_word.values() for stem, _ in entries}
        self._telling = re.compile(rf"(?<!{_LETTER})(?:{_any_of(stems)}){_LETTER}*" if stems else "(?!)")

    def may_hold(self, lowered: str) -> bool:
        """Whether a rule may hold of a sentence in `lowered`, as far as its words tell."""
        return self._telling.search(lowered) is not None or any(stem in lowered for stem in self._by_sign)

    def first(self, lowered: str, text: str) -> Rule | None:
        """The first rule that holds of the sentence `text`; `lowered` is it in lower case, without what it quotes."""
        for number in self._candidates(lowered):
            one, way = self._ways[number]
            if (
                way.pattern.search(lowered)
                and not (one.code and not sentence_filters.names_code(text))
                and not (one.unless and one.unless.search(lowered))
            ):
                return one
        return None

    def _candidates(self, lowered: str) -> list[int]:
        """The numbers of the wordings that the sentence can be, in their order."""
        bits = 0
        known = self._of_word
        for word in lowered.split():
            speaks_for = known.get(word)
            bits |= self._look_up(word) if speaks_for is None else speaks_for
        for stem, numbers in self._by_sign.items():
            if stem in lowered:
                bits |= sum(1 << number for number in numbers)
        known_numbers = self._of_bits.get(bits)
        return [
            number
            for number in (self._numbers(bits) if known_numbers is None else known_numbers)
            if not (also := self._ways[number][1].also) or _has_one(also, lowered)
        ]

    def _numbers(self, bits: int) -> tuple[int, ...]:
        if len(self._of_bits) >= _MOST_WORDS:
            self._of_bits = {0: ()}
        found = tuple(number for number in range(bits.bit_length()) if bits >> number & 1)
        return self._of_bits.setdefault(bits, found)

    def _look_up(self, word: str) -> int:
        """The wordings that `word` speaks for, with whatever signs around it, as bits."""
        numbers = {
            number
            for token in self._telling.findall(word)
            for stem, number in self._by_word[token[:_KEY]]
            if (token.startswith(stem) if len(stem) >= _KEY else token == stem)
        }
        bits = sum(1 << number for number in numbers)
        if len(word) <= _LONGEST_WORD:  # longer ones are no words and do not come again
            if len(self._of_word) >= _MOST_WORDS:
                self._of_word.clear()
            self._of_word[word] = bits
        return bits


def _has_one(parts: tuple[str, ...], lowered: str) -> bool:
    for part in parts:  # noqa: SIM110 - twice as quick as any(), and every candidate is asked
        if part in lowered:
            return True
    return False


def _any_of(stems: set[str]) -> str:
    """A regular expression for what begins with one of `stems`, which tries no letter twice."""
    by_letter: dict[str, set[str]] = {}
    for stem in stems:
        by_letter.setdefault(stem[0], set()).add(stem[1:])
    return "|".join(re.escape(letter) + _rest_of(rests) for letter, rests in sorted(by_letter.items()))


def _rest_of(rests: set[str], length: int = 1) -> str:
    if "" in rests and length >= _KEY:
        return ""
    by_letter: dict[str, set[str]] = {}
    for rest in filter(None, rests):
        by_letter.setdefault(rest[0], set()).add(rest[1:])
    ways = [re.escape(letter) + _rest_of(further, length + 1) for letter, further in sorted(by_letter.items())]
    if "" in rests:
        ways.append(f"(?!{_LETTER})")
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


FLAW = (
    r"(?:vulnerabilit(?:y|ies)|CVE-\d{4}-\d+|XSS|CSRF|SSRF|XXE|IDOR|RCE|ReDoS|zip slip|open redirect|timing attack"
    r"|(?:SQL|LDAP|command|code|shell|header|log|template|prompt) injection|(?:path|directory) traversal"
    r"|privilege escalation|remote code execution|session fixation|prototype pollution|clickjacking"
    r"|auth(?:entication|orization|orisation)? bypass|insecure deseriali[sz]ation)"
)
FLAW_STEMS = (
    "vulnerabilit|cve|xss|csrf|ssrf|xxe|idor|rce|redos|slip|redirect|timing|injection|traversal|escalation|execution"
    "|fixation|pollution|clickjacking|bypass|deseriali"
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
