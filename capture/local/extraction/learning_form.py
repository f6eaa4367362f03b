"""The form of a good learning: what an agent or a person is asked to improve before they store one by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from capture.local.extraction.languages import is_in_another_language
from capture.local.extraction.learning import LONGEST_CONTENT
from capture.local.extraction.naming import name_the_same, names_something
from capture.local.extraction.patterns import wording
from capture.local.extraction.sentence_filters import is_hedged, refers_back
from capture.local.extraction.status_reports import STATUS_TYPES, is_status_report
from memoryserver.common.text import one_line

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")  # also the full-width, Arabic and Greek ones
_AFTER_THE_MARK = " !)\"'\u201d\u00bb\u300d"
_HERE = re.compile(r"^(?:in )?here,? (?=we\b|[a-z]+ )", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_INTENTION = wording(
    r"^(?:(?:let me|let's(?! (?:not|never|always|keep|stick)\b)|let us|I'll|I will|I'm going to|I am going to|I need to"
    r"|we'll|we will(?! never\b)|we need to|next,? I|next steps?|to-?do|going to|(?:can|could|would) you)\b"
    r"|(?:plan|next|(?:session |work )?summary)[:,]"
    r"|(?:please )?(?:add|fix|update|implement|create|rename|refactor|rewrite|build|finish)(?: me)?"
    r" (?:an?|the|some|more|all)\b"
    r"(?!.*(?:`|\b(?:when|whenever|if|before|after|because|since|not|never|must|every|each|only|until|unless|with|by)\b)))"
)
# "Amounts should be in cents" and "an order may have several invoices" are rules and facts, in words of a guess.
_OBLIGATION = wording(
    r"^let's (?=(?:not|never|always|keep|stick)\b)"
    r"|\bshould (?:be|work|also)\b(?! (?:again|enough|up|ok(?:ay)?|fine|good|done|gone|fixed|working|better|right"
    r"|correct|been|solved?|resolved?|fix(?:es)?)\b)(?= \w)(?!.*\b(?:now|again|next)\b)"
    r"|\bshould have\b(?= (?:an?|the|no|one|two|its|their|exactly|only|at (?:most|least)|\d+)\b)"
    r"|\bmay (?:be \w+ed(?! by\b)|have (?:no|several|many|more than|up to|at most|only)\b)"
)
_ALL_DONE = wording(
    r"^(?!.*\b(?:not?|never|always|must|only|is|are)\b)[^\s,;:]+(?: [^\s,;:]+){0,2}"
    r" (?:added|updated|fixed|done|removed|renamed|merged|pushed|committed|deployed|refactored|finished|completed)\W*$"
)
_MOMENTARY = wording(
    r"\b(?:currently|right now|at the moment|so far|for now|today|tomorrow|yesterday|just now"
    r"|(?:in )?this (?:session|run|conversation|turn|commit|branch|pr|pull request|task)"
    r"|(?:the )?(?:current|last|previous) (?:session|run|commit|task|step)"
    r"|I(?:'ve| have)? (?:just )?(?:added|updated|fixed|created|removed|changed|implemented|refactored|moved"
    r"|renamed))\b"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_NEGATION = re.compile(r"not?|never|without|cannot|\w+n['\u2019]t|instead|rather")
_MOST_OF = 0.8  # of the words of two wordings, which a copy shares
_GOOD_CAUSE = "`npm test` never ends because Vitest watches; `npx vitest run` does."
_GOOD_RULE = "Run `just check` before a commit: CI fails below 90 % coverage."


class Fault(NamedTuple):
    """What a learning lacks: `reason` says it in one clause, `example` is a learning without the fault."""

    reason: str
    example: str

    def __str__(self) -> str:
        return f"{self.reason}. A good one: \u201c{self.example}\u201d"


def fault_of(kind: str, content: str) -> Fault | None:
    """Return the first thing that keeps `content` from being a good learning of the type `kind`; None if it is one.

    A good learning is one to three sentences that can be understood alone, name what they are about, are known to be
    true, and will still be true in the next session. Wordings in other languages than English are only checked for what
    shows without their words: length, a question mark, and that there are words at all.
    """
    text = one_line(content)
    return next(_faults_of_form(kind, text), None) or (
        None if is_in_another_language(text) else next(_faults_of_wording(kind, text), None)
    )


def _faults_of_form(kind: str, text: str) -> Iterator[Fault]:
    if len(text) > LONGEST_CONTENT:
        reason = f"it has {len(text)} characters; store the one fact that matters, in up to three sentences"
        yield Fault(reason, _GOOD_CAUSE)
    if text.rstrip(_AFTER_THE_MARK).endswith(_QUESTION_MARKS):
        yield Fault("it is a question; store the answer, once it is known", _GOOD_CAUSE)
    if text.rstrip(" *").endswith((":", "\uff1a")):
        yield Fault("it ends with a colon; add what follows it", _GOOD_CAUSE)
    if kind in STATUS_TYPES:
        yield _report()
    if not _LETTER.search(text):
        yield _nameless()


def _faults_of_wording(kind: str, text: str) -> Iterator[Fault]:
    lowered = text.lower()
    if is_status_report(kind, text) or _ALL_DONE.match(lowered):
        yield _report()
    if _INTENTION.match(lowered):
        yield Fault("it is a plan; store what you know, not what you will do", _GOOD_CAUSE)
    if match := _MOMENTARY.search(lowered):
        yield Fault(f"it holds only for the moment (\u201c{match[0]}\u201d); say what will hold next month", _GOOD_RULE)
    if is_hedged(_OBLIGATION.sub("must", lowered)):
        yield Fault("it is a guess; check it first, then state it as a fact", _GOOD_CAUSE)
    if refers_back(_HERE.sub("", text)):
        reason = "it points at something that it does not name; name it, so that it can be read alone"
        yield Fault(reason, _GOOD_CAUSE)
    if not names_something(text):
        yield _nameless()


def _report() -> Fault:
    return Fault("it says how this task went; say what will also hold in the next one", _GOOD_RULE)


def _nameless() -> Fault:
    return Fault("it names nothing; say which file, command, tool, setting or version it is about", _GOOD_CAUSE)


def is_copy(content: str, other: str) -> bool:
    """Return whether both wordings have nearly the same words in the same order.

    Their figures and negations, and the code, paths and identifiers in them, must be the same. In a language other than
    English, whose negations are not known, all words must be.
    """
    content, other = one_line(content), one_line(other)
    words, others = (_WORD.findall(text.lower()) for text in (content, other))
    if is_in_another_language(content) or is_in_another_language(other):
        return words == others != []
    if sorted(filter(_decides, words)) != sorted(filter(_decides, others)) or not name_the_same(content, other):
        return False
    shared, either = set(words) & set(others), set(words) | set(others)
    in_order = [word for word in words if word in shared] == [word for word in others if word in shared]
    return in_order and len(shared) >= _MOST_OF * len(either) > 0


def _decides(word: str) -> bool:
    return word.isdigit() or _NEGATION.fullmatch(word) is not None
