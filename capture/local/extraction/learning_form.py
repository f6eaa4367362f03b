"""The form of a good learning: what an agent or a person is asked to improve before they store one by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from capture.local.extraction.learning import LONGEST_CONTENT
from capture.local.extraction.patterns import wording
from capture.local.extraction.sentence_filters import count_uncommon_words, is_hedged, is_specific, refers_back
from capture.local.extraction.status_reports import is_status_report
from memoryserver.common.text import one_line

_FEWEST_WORDS = 3  # uncommon ones, in a text that names nothing
_FEWEST_WORDS_OF_RULE = 2
_RULES = frozenset({"convention", "preference", "correction", "command"})
_INTENTION = wording(
    r"^(?:let me|let's|let us|I'll|I will|I'm going to|I am going to|I need to|we'll|we will|we need to|next[:,]"
    r"|next,? I|next steps?|to-?do|plan:|going to|(?:can|could|would) you)\b"
)
_MOMENTARY = wording(
    r"\b(?:currently|right now|at the moment|so far|for now|today|tomorrow|yesterday|just now"
    r"|(?:in )?this (?:session|run|conversation|turn|commit|branch|pr|pull request|task)"
    r"|(?:the )?(?:current|last|previous) (?:session|run|commit|task|step)"
    r"|I(?:'ve| have)? (?:just )?(?:added|updated|fixed|created|removed|changed|implemented|refactored|moved"
    r"|renamed))\b"
)
_WORD = re.compile(r"[a-z0-9]+(?:['\u2019][a-z]+)?")
_NEGATION = re.compile(r"not?|never|without|cannot|\w+n['\u2019]t|instead|rather")
_MOST_OF = 0.8  # of the words of two wordings, which a copy shares
_CAUSE = "`npm test` never ends because Vitest watches; `npx vitest run` does."
_RULE = "Run `just check` before a commit: CI fails below 90 % coverage."


class Fault(NamedTuple):
    """What a learning lacks: `reason` says it in one clause, `example` is a learning without the fault."""

    reason: str
    example: str

    def __str__(self) -> str:
        return f"{self.reason}. A good one: \u201c{self.example}\u201d"


def fault_of(kind: str, content: str) -> Fault | None:
    """Return the first thing that keeps `content` from being a good learning of the type `kind`; None if it is one.

    A good learning is one to three sentences that can be understood alone, name what they are about, are known to be
    true, and will still be true in the next session.
    """
    return next(_faults(kind, one_line(content)), None)


def _faults(kind: str, text: str) -> Iterator[Fault]:
    lowered = text.lower()
    if len(text) > LONGEST_CONTENT:
        yield Fault(f"it has {len(text)} characters; store the one fact that matters, in up to three sentences", _CAUSE)
    if text.endswith("?"):
        yield Fault("it is a question; store the answer, once it is known", _CAUSE)
    if is_status_report(kind, text):
        yield Fault("it says how this task went; say what will also hold in the next one", _RULE)
    if _INTENTION.match(lowered):
        yield Fault("it is a plan; store what you know, not what you will do", _CAUSE)
    if match := _MOMENTARY.search(lowered):
        yield Fault(f"it holds only for the moment (\u201c{match[0]}\u201d); say what will hold next month", _RULE)
    if is_hedged(text):
        yield Fault("it is a guess; check it first, then state it as a fact", _CAUSE)
    if refers_back(text):
        yield Fault("it points at something that it does not name; name it, so that it can be read alone", _CAUSE)
    if not _names_something(kind, text):
        yield Fault("it names nothing; say which file, command, function, setting or version it is about", _CAUSE)


def _names_something(kind: str, text: str) -> bool:
    fewest = _FEWEST_WORDS_OF_RULE if kind in _RULES else _FEWEST_WORDS
    return is_specific(text) or count_uncommon_words(text) >= fewest


def is_copy(content: str, other: str) -> bool:
    """Return whether both wordings have nearly the same words, and the same figures and negations."""
    words, others = (_WORD.findall(one_line(text).lower()) for text in (content, other))
    if sorted(filter(_decides, words)) != sorted(filter(_decides, others)):
        return False
    shared, either = set(words) & set(others), set(words) | set(others)
    return len(shared) >= _MOST_OF * len(either) > 0


def _decides(word: str) -> bool:
    return word.isdigit() or _NEGATION.fullmatch(word) is not None
