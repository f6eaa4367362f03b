"""What people decide and correct: their words at a rejected call, after an interruption, in answer to a question.

These are the surest learnings there are, but the words alone ("use pnpm") mean little: each content says what
they were said about.
"""

from __future__ import annotations

import re

from capture.local.extraction import sentence_filters
from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.sentence_learnings import files_named
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Message, ToolUse
from memoryserver.common.text import one_line, shorten

_LONGEST_SAID = 400
_LONGEST_ASKED = 240
_GO_ON = re.compile(
    r"^(?:(?:please|ok|okay|sorry|yes|no|now|just|actually|hmm|wait|stop|go|carry|move|and|it|again|that|this|the|a"
    r"|try|continue|keep|going"
    r"|on|ahead|resume|proceed|retry|done|fine|good|great|thanks?|thank|you|same|more|mistake|accident|accidentally"
    r"|pressed"
    r"|escape|esc|oops|nevermind|never|mind|hold|sec|second|minute|moment|one|I|my|bad|clicked|wrong"
    r"|button)\b[,.!?]*\s*)+$",
    re.IGNORECASE,
)
_BY_ACCIDENT = re.compile(
    r"\b(?:accident(?:ally)?|by mistake|mis-?click\w*|wrong (?:key|button|window))\b", re.IGNORECASE
)
_CHOICE = re.compile(r"\b(?:which|prefer|option|either|or)\b", re.IGNORECASE)
_OFFER = re.compile(
    r"^(?:would you like (?:me )?to|shall I|should I (?:continue|proceed|go)|do you want me to|ready to|want me to)\b"
    r"(?!.*\bor\b)",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:let's|lets|go with|use|do|option|keep|prefer|choose|pick|take|stick with|first|second|third|last|both"
    r"|neither"
    r"|\d+|[a-d]\)?)\b",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r'"([^"\n]{8,300})"="([^"\n]{1,300})"')
_MOST_ANSWERS = 6
_LONGEST_END = 2_000  # of a text, in which the mark of its last question stands


def of_rejection(message: Message, use: ToolUse | None, said: str) -> Learning | None:
    """What a person said when they turned down the call `use`; a question alone corrects nothing."""
    if _only_asks(said):
        return None
    what = f"The person rejected {_described(use)}" if use else "The person rejected what the agent was about to do"
    return _correction(message, use, what, said, 0.92, "said when rejecting a tool call")


def of_interruption(message: Message, use: ToolUse | None) -> Learning | None:
    """What a person said after they had stopped the agent at the call `use`."""
    if use is None or _only_asks(message.text):
        return None
    what = f"The person stopped {_described(use)}"
    return _correction(message, use, what, message.text, 0.84, "said after stopping a tool call")


def of_answer(message: Message, asked: str) -> Learning | None:
    """What a person chose when the agent had asked `asked`, the questions at the end of its last words."""
    answer = one_line(message.text)
    if not asked or _OFFER.match(asked) or not _CHOICE.search(asked) or len(answer) > 160:
        return None
    if not _CHOSEN.search(answer) or sentence_filters.is_question(answer) or sentence_filters.words_in(answer) < 2:
        return None
    return _decision(message, asked, answer, 0.82, "a person's answer to the agent's question")


def of_form(message: Message, text: str) -> list[Learning]:
    """What a person chose in the form that the agent's question tool shows."""
    answers = _ANSWERED.findall(text)[:_MOST_ANSWERS]
    made = (_decision(message, asked, chosen, 0.88, "chosen in a form of the agent's") for asked, chosen in answers)
    return [learning for learning in made if learning is not None]


def may_ask(text: str) -> bool:
    """Whether an agent's words may end with a question."""
    return "?" in text[-_LONGEST_END:]


def asked_in(text: str) -> str:
    """The questions at the end of an agent's words; "" where they end otherwise."""
    if not may_ask(text):
        return ""
    found: list[str] = []
    for sentence in reversed(sentences(text)[-3:]):
        if not sentence.text.endswith("?"):
            break
        found.insert(0, sentence.text)
    return shorten(" ".join(found), _LONGEST_ASKED)


def _correction(
    message: Message, use: ToolUse | None, what: str, said: str, confidence: float, reason: str
) -> Learning | None:
    words = _bounded(said)
    if sentence_filters.words_in(words) < 2 or _GO_ON.match(words) or _BY_ACCIDENT.search(words):
        return None
    content = f"{what} and said: \u201c{words}\u201d"
    if not SHORTEST_CONTENT <= len(content) <= LONGEST_CONTENT:
        return None
    files = tuple(dict.fromkeys([*(use.files if use else ()), *files_named(words)]))[:10]
    tools = (use.name,) if use and use.name else ()
    reasons = (reason, "a person's own words")
    return Learning("correction", content, confidence, message.index, message.uuid, reasons, files, tools, message.time)


def _decision(message: Message, asked: str, answer: str, confidence: float, reason: str) -> Learning | None:
    content = f"Asked \u201c{one_line(asked)}\u201d, the person answered: \u201c{answer}\u201d"
    if len(content) > LONGEST_CONTENT:
        return None
    return Learning(
        "decision", content, confidence, message.index, message.uuid, (reason,), files_named(content), (), message.time
    )


def _only_asks(said: str) -> bool:
    return all(sentence_filters.is_question(sentence.text) for sentence in sentences(said))


def _described(use: ToolUse) -> str:
    """`use` in a few words: a command as it was, an edit by its file."""
    if use.command:
        return f"the command `{shorten(one_line(use.command), 100)}`"
    name = {"Write": "writing", "Edit": "an edit of", "MultiEdit": "an edit of", "NotebookEdit": "an edit of"}.get(
        use.name
    )
    if name and use.files:
        return f"{name} `{shorten(use.files[0], 120)}`"
    return f"the agent's use of {use.name}" if use.name else "the agent"


def _bounded(said: str) -> str:
    """Whole sentences of `said`, without what was pasted, as far as they fit."""
    kept: list[str] = []
    for sentence in sentences(said):
        if sum(map(len, kept)) + len(kept) + len(sentence.text) > _LONGEST_SAID:
            break
        kept.append(sentence.text)
    return " ".join(kept).rstrip(" :;,(\u2014-")
