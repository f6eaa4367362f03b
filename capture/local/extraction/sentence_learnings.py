"""Extracts learnings from a text sentence by sentence, by the rules for people or those for agents."""

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
    is_own_mistake,
    is_plan,
    is_question,
    names_code,
    self_contained,
    without_quotations,
)
from capture.local.extraction.sentences import Sentence, is_document, paragraphs, sentences_of
from capture.local.transcripts.messages import Message, Role

MIN_CONFIDENCE = 0.7
MAX_PER_MESSAGE = 8
_LONGEST_PROMPT = 6_000  # a longer text was pasted or generated
_LONG_TEXT = 3_000
_LONGEST_MARKER = 60

_MARKER = wording(
    r"^(?:(?:aha|ah|oh|yes|ok|great|perfect|excellent)\b[!,. ]*)?(?:found it|there it is|(?:and )?(?:that|this"
    r"|there)(?:'s| is| was) (?:it|the"
    r" (?:real |actual |root )?(?:issue|problem|bug|cause|reason|culprit|mistake|trick)))[.!:]?$"
)
# Every match of `_MARKER` or of a label contains one of these.
_ANNOUNCEMENTS = (
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
_HINT_RULES = {
    "solution": Rule("solution", 0.8, 'follows "that\'s the issue"'),
    "learning": Rule("learning", 0.8, "follows a takeaway label"),
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
    """Yield the learnings in `text`, the words of `message`; if there are too many, those of highest confidence.

    `tools` are those used just before.
    """
    if message.role == Role.PERSON and (len(text) > _LONGEST_PROMPT or is_document(text)):
        return
    learnings: dict[str, Learning] = {}  # by their contents
    previous = Sentence("")
    labelled = ""  # the previous sentence, if a label such as "Takeaway:" applies to it and to the next
    content = ""  # of the learning in the previous sentence
    for sentence in _relevant_sentences(own_output.without_injected(text), message.role):
        hint = _hint(previous, sentence, labelled) if message.role == Role.AGENT else ""
        learning = _learning(sentence, message, tools, hint)
        continues = content and sentence.before == previous.text
        if learning is not None and continues and learning.content.startswith(f"{content} "):
            learning = _merge(learnings.pop(content), learning)
        if learning is not None:
            learnings.setdefault(learning.content, learning)
        content = learning.content if learning is not None else ""
        labelled = sentence.text if is_labelled(sentence.text) or hint == "learning" else ""
        previous = sentence
    best = sorted(learnings.values(), key=lambda learning: -learning.confidence)[:MAX_PER_MESSAGE]
    yield from (learning for learning in learnings.values() if learning in best)


def _relevant_sentences(text: str, role: Role) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs that a rule may match, that contain an announcement or that follow one.

    Each other paragraph yields an empty sentence.
    """
    rules = _rules_of(role)
    follows_announcement = False
    for paragraph in paragraphs(text):
        lowered = _lowercase(paragraph)
        announces = _has_announcement(lowered)
        if announces or follows_announcement or rules.may_hold(lowered):
            yield from sentences_of(paragraph)
        else:
            yield Sentence("")
        follows_announcement = announces


def _has_announcement(lowered: str) -> bool:
    for announcement in _ANNOUNCEMENTS:  # noqa: SIM110 - twice as fast as any(), and called for every paragraph
        if announcement in lowered:
            return True
    return False


def _rules_of(role: Role) -> Rulebook:
    return PERSON_RULES if role == Role.PERSON else AGENT_RULES


def _lowercase(text: str) -> str:
    return text.lower().replace("\u2019", "'")


def files_named(text: str) -> tuple[str, ...]:
    """Return the files that `text` names, at most ten."""
    names = (match[0].partition(":")[0] for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(name for name in names if _FILE_ENDING.search(name)))[:10]


def _hint(previous: Sentence, sentence: Sentence, labelled: str) -> str:
    """Return the type of learning that the sentences before `sentence` announce; "" if none."""
    if previous.text and len(previous.text) <= _LONGEST_MARKER and _MARKER.match(previous.text.lower()):
        return "solution"
    return "learning" if labelled and sentence.before == labelled else ""


def _merge(first: Learning, second: Learning) -> Learning:
    """Return both as one learning; the content of `second` contains that of `first`."""
    return replace(second, type=first.type, confidence=max(first.confidence, second.confidence), reasons=first.reasons)


def _learning(sentence: Sentence, message: Message, tools: tuple[str, ...], hint: str) -> Learning | None:
    text = sentence.text
    if not SHORTEST_CONTENT <= len(text) <= LONGEST_CONTENT:
        return None
    by_person = message.role == Role.PERSON
    rule = _rule_for(text, _rules_of(message.role)) or (_HINT_RULES[hint] if hint else None)
    if rule is None or not _is_statement(text, by_person=by_person) or own_output.repeats_learning(text):
        return None
    content = self_contained(sentence, by_person=by_person)
    if not content:
        return None
    confidence, reasons = _adjust_confidence(rule.confidence, content, by_person=by_person, length=len(message.text))
    if confidence < MIN_CONFIDENCE:
        return None
    return Learning(
        rule.type,
        content,
        confidence,
        message.index,
        message.uuid,
        (rule.reason, *reasons),
        files_named(content),
        tools,
        message.time,
    )


def _rule_for(text: str, rules: Rulebook) -> Rule | None:
    """Return the first rule that holds for `text`, without its quotations."""
    return rules.first(_lowercase(without_quotations(text)), text)


def _is_statement(text: str, *, by_person: bool) -> bool:
    """Return whether `text` is a statement, not a question, plan, guess or announcement."""
    if is_question(text) or _ADDRESSED.search(text.lower()):
        return False
    return by_person or not (is_plan(text) or is_hedged(text) or text.endswith(("?", ":")))


def _adjust_confidence(confidence: float, content: str, *, by_person: bool, length: int) -> tuple[float, list[str]]:
    """Return the rule's confidence, changed by properties of the statement, and the reasons for the changes."""
    reasons = []
    for applies, step, reason in (
        (by_person, 0.04, "said by a person"),
        (names_code(content), 0.03, "names code, a file or a command"),
        (gives_reason(content), 0.03, "says why"),
        (not by_person and is_own_mistake(content), -0.3, "about the agent's own mistake"),
        (not by_person and length > _LONG_TEXT, -0.03, "one of many statements in a long text"),
    ):
        if applies:
            confidence += step
            reasons.append(reason)
    return round(min(confidence, 0.98), 2), reasons
