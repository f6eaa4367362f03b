"""Statements that the agent itself takes back a few messages later: "Actually, `parse()` never sees the zone."

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


def _names(text: str) -> set[str]:
    """Return the code that `text` names."""
    return {quoted or plain for quoted, plain in _NAME.findall(text)}
