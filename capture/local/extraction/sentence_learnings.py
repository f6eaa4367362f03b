"""Learnings in what somebody says: one sentence at a time, by the patterns of whoever speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from capture.local.extraction import own_output
from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.patterns import one_of, wording
from capture.local.extraction.rules.agent import AGENT_RULES
from capture.local.extraction.rules.person import PERSON_RULES
from capture.local.extraction.rules.rulebook import Rule, Rulebook
from capture.local.extraction.sentence_filters import (
    gives_reason,
    is_hedged,
    is_labelled,
    is_own_slip,
    is_plan,
    is_question,
    names_code,
    standing_alone,
    unquoted,
)
from capture.local.extraction.sentences import Sentence, is_document, paragraphs, sentences_of
from capture.local.transcripts.messages import Message, Role

LEAST_CONFIDENCE = 0.7
MOST_PER_MESSAGE = 8
_LONGEST_PROMPT = 6_000  # what is longer was pasted or generated
_LONG_TEXT = 3_000
_LONGEST_MARKER = 60

_MARKER = wording(
    r"^(?:(?:aha|ah|oh|yes|ok|great|perfect|excellent)\b[!,. ]*)?(?:found it|there it is|(?:and )?(?:that|this"
    r"|there)(?:'s| is| was) (?:it|the"
    r" (?:real |actual |root )?(?:issue|problem|bug|cause|reason|culprit|mistake|trick)))[.!:]?$"
)
# Whatever `_MARKER` or a label matches has one of these in it.
_ANNOUNCES = (
    "found it",
    "there it is",
    "that's",
    "this's",
    "there's",
    "that is",
    "this is",
    "there is",
    "that was",
    "this was",
    "there was",
    "takeaway",
    "lesson",
    "insight",
    "finding",
    "conclusion",
)
_HINTED = {
    "solution": Rule("solution", 0.8, 'follows "that\'s the issue"'),
    "learning": Rule("learning", 0.8, "stands under a takeaway"),
}
_ADDRESSED = wording(
    r"\b(?:you(?:'re| are)? (?:absolutely |completely |totally )?right|good (?:catch|point|idea|question)|great"
    r" (?:catch|point|idea|question|observation))\b"
)
_PATH = re.compile(r"(?<![\w/@.:-])(?:~?/|\./)?(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}(?::\d+)?(?![\w/])")
_FILE_ENDING = re.compile(
    r"\."
    + one_of(
        "py js ts tsx jsx mjs rs go java kt rb c h cc cpp hpp cs php md rst txt toml ya?ml json sql sh bash html"
        " css scss"
        " vue svelte env cfg ini lock xml proto tf ipynb swift lua exs? erl hs scala"
    )
    + r"\Z"
)


def learnings_in(message: Message, text: str, tools: tuple[str, ...]) -> Iterator[Learning]:
    """The learnings in `text`, the words of `message`, the surest where there are too many.

    `tools` were used just before.
    """
    if message.role == Role.PERSON and (len(text) > _LONGEST_PROMPT or is_document(text)):
        return
    found: dict[str, Learning] = {}
    last = Sentence("")
    labelled = ""  # the last of the sentences that a label such as "Takeaway:" still speaks for
    taken = ""  # the content of the learning in the sentence before
    for sentence in _relevant_sentences(own_output.without_injected(text), message.role):
        hint = _hint(last, sentence, labelled) if message.role == Role.AGENT else ""
        learning = _learning(sentence, message, tools, hint)
        if learning is not None and taken and sentence.before == last.text and learning.content.startswith(f"{taken} "):
            learning = _goes_on(found.pop(taken), learning)
        if learning is not None:
            found.setdefault(learning.content, learning)
        taken = learning.content if learning is not None else ""
        labelled = sentence.text if is_labelled(sentence.text) or hint == "learning" else ""
        last = sentence
    best = sorted(found.values(), key=lambda one: -one.confidence)[:MOST_PER_MESSAGE]
    yield from (one for one in found.values() if one in best)


def _relevant_sentences(text: str, role: Role) -> Iterator[Sentence]:
    """Those of paragraphs that a rule can hold of, that announce something or that follow such a one."""
    rules = _rules_of(role)
    announced = False
    for paragraph in paragraphs(text):
        lowered = _lowered(paragraph)
        announces = _announces(lowered)
        if announces or announced or rules.may_hold(lowered):
            yield from sentences_of(paragraph)
        else:
            yield Sentence("")
        announced = announces


def _announces(lowered: str) -> bool:
    for hint in _ANNOUNCES:  # noqa: SIM110 - twice as quick as any(), and every paragraph is asked
        if hint in lowered:
            return True
    return False


def _rules_of(role: Role) -> Rulebook:
    return PERSON_RULES if role == Role.PERSON else AGENT_RULES


def _lowered(text: str) -> str:
    return text.lower().replace("\u2019", "'")


def files_named(text: str) -> tuple[str, ...]:
    """The files that `text` names, at most ten."""
    names = (match[0].partition(":")[0] for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(name for name in names if _FILE_ENDING.search(name)))[:10]


def _hint(last: Sentence, sentence: Sentence, labelled: str) -> str:
    """What the sentences before say of this one."""
    if last.text and len(last.text) <= _LONGEST_MARKER and _MARKER.match(last.text.lower()):
        return "solution"
    return "learning" if labelled and sentence.before == labelled else ""


def _goes_on(first: Learning, second: Learning) -> Learning:
    """Both as one: the second could not stand without the first."""
    return replace(second, type=first.type, confidence=max(first.confidence, second.confidence), reasons=first.reasons)


def _learning(sentence: Sentence, message: Message, tools: tuple[str, ...], hint: str) -> Learning | None:
    text = sentence.text
    if not SHORTEST_CONTENT <= len(text) <= LONGEST_CONTENT:
        return None
    by_person = message.role == Role.PERSON
    found = _rule_for(text, _rules_of(message.role)) or (_HINTED[hint] if hint else None)
    if found is None or not _is_stated(text, by_person=by_person) or own_output.repeats_learning(text):
        return None
    content = standing_alone(sentence, by_person=by_person)
    if not content:
        return None
    confidence, reasons = _weighed(found.confidence, content, by_person=by_person, length=len(message.text))
    if confidence < LEAST_CONFIDENCE:
        return None
    return Learning(
        found.type,
        content,
        confidence,
        message.index,
        message.uuid,
        (found.reason, *reasons),
        files_named(content),
        tools,
        message.time,
    )


def _rule_for(text: str, rules: Rulebook) -> Rule | None:
    """The first rule that holds, quotations aside."""
    return rules.first(_lowered(unquoted(text)), text)


def _is_stated(text: str, *, by_person: bool) -> bool:
    """Whether `text` states something, and neither asks, plans, guesses nor announces."""
    if is_question(text) or _ADDRESSED.search(text.lower()):
        return False
    return by_person or not (is_plan(text) or is_hedged(text) or text.endswith(("?", ":")))


def _weighed(confidence: float, content: str, *, by_person: bool, length: int) -> tuple[float, list[str]]:
    """The rule's confidence, moved by what else speaks for or against the statement."""
    reasons = []
    for holds, step, reason in (
        (by_person, 0.04, "said by a person"),
        (names_code(content), 0.03, "names code, a file or a command"),
        (gives_reason(content), 0.03, "says why"),
        (not by_person and is_own_slip(content), -0.3, "about the agent's own slip"),
        (not by_person and length > _LONG_TEXT, -0.03, "one of many statements in a long text"),
    ):
        if holds:
            confidence += step
            reasons.append(reason)
    return round(min(confidence, 0.98), 2), reasons
