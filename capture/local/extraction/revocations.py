"""Statements that the agent itself takes back a few messages later: "Actually, `parse()` never sees the zone."

A cure that a person turns down at once ("No, raise an error instead, because ...") is taken back too.

Only the plainest wordings count, and only of code that both name. When the agent says that the trouble is still there
("We're still having the issue"), the causes and cures that it has just named are taken back, whatever they name.
Everything wider (another "the issue is", an edit of what was found, a person's "still does not work") was measured on
labelled sessions, and takes more learnings away than errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from capture.local.extraction.learning import Learning

WITHIN = 6  # messages
_TAKES_BACK = re.compile(
    r"^\W*(?:actually\b|wait\W+(?:that|this|no|actually|it)\b|aha\W+that's the (?:issue|problem)|i was wrong\b"
    r"|my mistake\b|correction\b|scratch that\b|on second thought\b|i misread\b)",
    re.IGNORECASE,
)
_STILL_BROKEN = re.compile(
    r"^\W*(?:(?:hmm|ok(?:ay)?|so|no|well|unfortunately|oh)\b\W*)*"
    r"(?:(?:we|i)(?:'re| are|'m| am)? still (?:have|having|see|seeing|get|getting) (?:\w+ ){0,4}"
    r"(?:issues?|problems?|errors?|failures?|warnings?|bugs?)\b"
    r"|(?:it|that|this|the \w+(?: \w+){0,2}?)(?:'s| is)? still (?:fail(?:s|ing)?|there|broken|happening|occurs|persists"
    r"|not (?:work|fix|right)|doesn't work|the same (?:error|issue|problem))"
    r"|still (?:fail(?:s|ing)|broken|the same|no luck|not (?:work|fix))"
    r"|(?:it (?:seems|looks like) )?(?:that|this|it|(?:the|our|my) (?:\w+ ){0,2}(?:fix|change|attempt|approach))"
    r" (?:didn't|did not) (?:\w+ )?(?:work|fix|help|solve)"
    r"|let's try (?:a different|another|one more) approach)",
    re.IGNORECASE,
)
_STILL_HINTS = ("still", "Still", "didn't", "did not", "approach")
_CURE = re.compile(
    r"\b(?:issue|problem|bug|error|cause|culprit|reason) (?:is|was|might be|seems)\b"
    r"|\b(?:fix(?:ed|es)?|solution|solved|resolved)\b"
    r"|^(?:we|i)(?:'ve| have)? (?:replaced|changed|modified|updated|added|moved|removed|switched)\b",
    re.IGNORECASE,
)
_HINTS = ("ctually", "Wait", "Aha", "was wrong", "mistake", "orrection", "cratch that", "econd thought", "misread")
_TURNS_DOWN = re.compile(
    r"^\W*(?:no|nope|wrong|don't|do not)\b.*\b(?:instead|rather than|not)\b", re.IGNORECASE | re.DOTALL
)
_AT_ONCE = 2  # messages, of which one may be the mark of an interruption
_WORD = re.compile(r"[a-z_]+")
_LONG = 4  # letters
_COMMON = frozenset({"with", "that", "this", "then", "when", "from", "have", "will", "were", "what", "your", "instead",
                     "because", "rather", "does", "only"})  # fmt: skip
_NAME = re.compile(r"`([^`\n]{3,60})`|\b(\w+_\w+|\w+\.\w{1,4}|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b")


class Statement(NamedTuple):
    """A learning from an agent's words that it may still take back."""

    type: str
    content: str
    source_message_index: int

    @classmethod
    def of(cls, learning: Learning) -> Statement:
        """Return what is needed of `learning` to recognize that it is taken back."""
        return cls(learning.type, learning.content, learning.source_message_index)


def taken_back(text: str, index: int, statements: Iterable[Statement]) -> list[Statement]:
    """Return those of an agent's `statements` that `text`, its words at message `index`, takes back."""
    recent = [statement for statement in statements if 0 < index - statement.source_message_index <= WITHIN]
    if not recent:
        return []
    if any(hint in text for hint in _STILL_HINTS) and _STILL_BROKEN.match(text):
        return [statement for statement in recent if _CURE.search(statement.content)]
    if not any(hint in text for hint in _HINTS):
        return []
    names = set[str]()
    for paragraph in text.split("\n\n"):
        if _TAKES_BACK.match(paragraph):
            names |= _names(paragraph)
    return [statement for statement in recent if names & _names(statement.content)] if names else []


def turned_down(words: str, index: int, statements: Iterable[Statement]) -> list[Statement]:
    """Return the cures among an agent's `statements` that a person's `words` at message `index` replace by another.

    They are of the message before, and share a word with the person's, who begin with "no" and say "instead".
    """
    if not _TURNS_DOWN.match(words):
        return []
    said = _long_words(words)
    last = max((statement.source_message_index for statement in statements), default=index)
    recent = [one for one in statements if one.source_message_index == last and index - last <= _AT_ONCE]
    return [one for one in recent if _CURE.search(one.content) and said & _long_words(one.content)]


def _long_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) >= _LONG} - _COMMON


def _names(text: str) -> set[str]:
    """Return the code that `text` names."""
    return {quoted or plain for quoted, plain in _NAME.findall(text)}
