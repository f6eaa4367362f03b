"""Learnings in what somebody says: one sentence at a time, by the patterns of whoever speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from capture.local import fitness
from capture.local.agent_rules import AGENT_RULES
from capture.local.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.person_rules import PERSON_RULES
from capture.local.prose import Sentence, sentences
from capture.local.rules import Rule, rule
from capture.local.transcripts.messages import Message, Role
from capture.local.wording import one_of, wording

LEAST_CONFIDENCE = 0.7
MOST_PER_MESSAGE = 8
_LONGEST_PROMPT = 6_000  # what is longer was pasted or generated
_LONG_TEXT = 3_000

_MARKER = wording(
    r"^(?:(?:aha|ah|oh|yes|ok|great|perfect|excellent)\b[!,. ]*)?(?:found it|there it is|(?:and )?(?:that|this"
    r"|there)(?:'s| is| was) (?:it|the"
    r" (?:real |actual |root )?(?:issue|problem|bug|cause|reason|culprit|mistake|trick)))[.!:]?$"
)
_HINTED = {
    "solution": rule("solution", 0.8, 'follows "that\'s the issue"', ""),
    "learning": rule("learning", 0.8, "stands under a takeaway", ""),
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


def learnings_in(message: Message, tools: tuple[str, ...]) -> Iterator[Learning]:
    """The learnings in the words of `message`, best first where there are too many; `tools` were used just before."""
    if message.role == Role.PERSON and len(message.text) > _LONGEST_PROMPT:
        return
    rules = PERSON_RULES if message.role == Role.PERSON else AGENT_RULES
    found: dict[str, Learning] = {}
    last = Sentence("")
    labelled = ""  # the last of the sentences that a label such as "Takeaway:" still speaks for
    for sentence in sentences(message.text):
        hint = ""
        if message.role == Role.AGENT:
            hint = (
                "solution"
                if _MARKER.match(last.text.lower())
                else "learning"
                if labelled and sentence.before == labelled
                else ""
            )
        learning = _learning(sentence, rules, message, tools, hint)
        if learning is not None:
            found.setdefault(learning.content, learning)
        labelled = sentence.text if fitness.is_labelled(sentence.text) or hint == "learning" else ""
        last = sentence
    best = sorted(found.values(), key=lambda one: -one.confidence)[:MOST_PER_MESSAGE]
    yield from (one for one in found.values() if one in best)


def files_named(text: str) -> tuple[str, ...]:
    """The files that `text` names, at most ten."""
    names = (match[0].partition(":")[0] for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(name for name in names if _FILE_ENDING.search(name)))[:10]


def _learning(
    sentence: Sentence, rules: tuple[Rule, ...], message: Message, tools: tuple[str, ...], hint: str
) -> Learning | None:
    text = sentence.text
    by_person = message.role == Role.PERSON
    if not SHORTEST_CONTENT <= len(text) <= LONGEST_CONTENT or fitness.is_question(text):
        return None
    if _ADDRESSED.search(text.lower()) or (
        not by_person and (fitness.is_plan(text) or fitness.is_hedged(text) or text.endswith("?"))
    ):
        return None
    code, reason, lowered = fitness.names_code(text), fitness.gives_reason(text), text.lower()
    found = next((one for one in rules if one.holds(lowered, names_code=code, gives_reason=reason)), None)
    if found is None and hint:
        found = _HINTED[hint]
    if found is None:
        return None
    content = fitness.standing_alone(sentence, by_person=by_person)
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


def _weighed(confidence: float, content: str, *, by_person: bool, length: int) -> tuple[float, list[str]]:
    """The rule's confidence, moved by what else speaks for or against the statement."""
    reasons = []
    for holds, step, reason in (
        (by_person, 0.04, "said by a person"),
        (fitness.names_code(content), 0.03, "names code, a file or a command"),
        (fitness.gives_reason(content), 0.03, "says why"),
        (not by_person and fitness.is_own_slip(content), -0.3, "about the agent's own slip"),
        (not by_person and length > _LONG_TEXT, -0.03, "one of many statements in a long text"),
    ):
        if holds:
            confidence += step
            reasons.append(reason)
    return round(min(confidence, 0.98), 2), reasons
