"""What the score of a sentence is computed from: its words, its form and its place in the message.

All features are yes or no, so that a weight can be read alone. They need nothing but the message itself: what was
measured of the messages around it (agreement, repetition, edits that follow) added noise only on unseen repositories.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from capture.local.extraction.rules.rulebook import Rule
from capture.local.extraction.scoring.lexicon import groups_of, groups_of_first
from capture.local.extraction.sentence_filters import count_uncommon_words, is_plan
from capture.local.extraction.sentences import CODE_SPAN, Sentence

_WORD = re.compile(r"[a-z0']+|[?!:]")
_CODE_WORD = "code0"
_CODE_BETWEEN_BLANKS = f" {_CODE_WORD} "
_PLAIN = "".join(  # what each ASCII character is in a word: itself, "0" for a digit, a blank for what parts words
    "0" if char.isdigit() else char if char.islower() or char in "'?!:\n" else " " for char in map(chr, range(128))
)
_DIGITS = re.compile(r"\d+")
# These begin with what they look back from: the engine finds the places of one character much sooner than of two.
_IDENTIFIER = re.compile(  # a_b, aB, a(), a/b, a.py
    r"[_A-Z(/.](?:(?<=\w_)\w|(?<=[a-z][A-Z])|(?<=\w\()\)|(?<=\w/)\w"
    r"|(?<=\w\.)(?:py|jsx?|tsx?|rs|go|java|rb|c|h|cpp|cs|md|toml|ya?ml|json|sql|sh|html|css)\b)"
)
_LABEL = re.compile(r"(?:`[^`\n]+`|\w[^:.`]{2,40}): ")
_COUNT = re.compile(
    r"\d(?:(?<!\w\d)\d* ?(?:tests?|passed|failed|lines|files|errors?|warnings?|items?|commits?)\b"
    r"| ?(?:/ ?\d|%|per ?cent))"
)
# The reasons that are given for a score, by the feature that they say in words; the others say nothing to a reader.
REASONS = {
    "code": "names code",
    "negation or contrast": "says what is not so",
    "contract": "says how something behaves",
    "obligation": "says what must be so",
    "reason": "says why",
    "condition": "says when",
    "surprise": "says what is unexpected",
    "decision": "names a decision",
    "cause": "names a problem",
    "preference": "says what is wanted",
    "fix": "says what was done about it",
    "more than 6 uncommon words": "is specific",
}
_LONG_MESSAGES = (600, 1_500, 3_000)
_UNCOMMON_WORDS = (2, 4, 6, 9, 12)
_WORD_COUNTS = (6, 12, 25, 45)
_LONG_MESSAGE_NAMES = [f"message of more than {limit} characters" for limit in _LONG_MESSAGES]
_UNCOMMON_WORD_NAMES = [f"more than {limit} uncommon words" for limit in _UNCOMMON_WORDS]
_WORD_COUNT_NAMES = [f"more than {limit} words" for limit in _WORD_COUNTS]
_FORMS = (  # in the order in which `features_of` looks for them
    "code",
    "several code spans",
    "names nothing",
    "plan",
    "label",
    "counts",
    "question",
    "exclamation",
    "quotation",
    "arrow",
    "continues a paragraph",
    "first of the message",
    "last of the message",
    "only one of the message",
    "one of more than ten",
)
_SURE = 0.85  # a rule's confidence


class Place(NamedTuple):
    """The place of a sentence: the length of its message in characters, its number from 0, and how many there are."""

    length: int
    number: int
    total: int


def words_of(text: str) -> list[str]:
    """Return the words of `text` in their order, in lower case, with one word for all code and "0" for digits."""
    if text.isascii():
        return _plain(text).split()
    lowered = text.lower()
    if "`" in lowered:
        lowered = CODE_SPAN.sub(_CODE_BETWEEN_BLANKS, lowered)
    return _WORD.findall(_DIGITS.sub("0", lowered))


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each of `texts`, sentences on one line each, as `words_of` does, in half its time."""
    joined = "\n".join(texts)
    if not joined.isascii():
        return list(map(words_of, texts))
    return [line.split() for line in _plain(joined).split("\n")] if texts else []


def _plain(text: str) -> str:
    """Return the words of an ASCII text between white space: what the regular expressions find, in half their time."""
    lowered = text.lower()
    if "`" in lowered:
        lowered = CODE_SPAN.sub(_CODE_BETWEEN_BLANKS, lowered)
    plain = lowered.translate(_PLAIN)
    while "00" in plain:
        plain = plain.replace("00", "0")
    for mark in ":?!":
        if mark in plain:
            plain = plain.replace(mark, f" {mark} ")
    return plain


def features_of(sentence: Sentence, words: list[str], place: Place) -> list[str]:
    """Return the names of the features of `sentence`, whose words are `words`, at `place`."""
    text = sentence.text
    spans = words.count(_CODE_WORD)
    features = [*groups_of(words), *groups_of_first(words[0] if words else "")]
    holds = (
        spans > 0,
        spans > 1,
        spans == 0 and _IDENTIFIER.search(text) is None,
        is_plan(text),
        ": " in text and _LABEL.match(text) is not None,
        _COUNT.search(text) is not None,
        text.endswith("?"),
        "!" in text,
        '"' in text or "\u201c" in text,
        "\u2192" in text or "->" in text,
        sentence.before != "",
        place.number == 0,
        place.number == place.total - 1,
        place.total == 1,
        place.total > 10,
    )
    features += compress(_FORMS, holds)
    features += _UNCOMMON_WORD_NAMES[: bisect_left(_UNCOMMON_WORDS, count_uncommon_words(text))]
    features += _WORD_COUNT_NAMES[: bisect_left(_WORD_COUNTS, len(words))]
    features += _LONG_MESSAGE_NAMES[: bisect_left(_LONG_MESSAGES, place.length)]
    return features


def rule_features(rule: Rule) -> list[str]:
    """Return the names of the features of a sentence for which `rule` holds."""
    return ["rule", f"rule for {rule.type}", *["sure rule"] * (rule.confidence >= _SURE)]
