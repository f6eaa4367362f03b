"""Extracts people's corrections and decisions: comments on a rejected call, after an interruption, and answers.

The words alone ("use pnpm") mean little, so each content names what they refer to. The confidence is the share that was
worth keeping in labelled sessions, or the least one of words that tell something plainly (`rules.instructions`).
"""

from __future__ import annotations

import re

from capture.local.extraction import choices, sentence_filters
from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.scoring.model import Model
from capture.local.extraction.sentence_learnings import files_named, least_likelihood_of, likelihood_of
from capture.local.extraction.sentences import sentences
from capture.local.extraction.status_reports import is_count
from capture.local.transcripts.messages import Message, Role, ToolUse
from memoryserver.common.text import one_line, shorten

_LONGEST_COMMENT = 400
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
_OPTION = re.compile(r"\b(?:first|second|third|last|both|neither|either|[a-d]\)|option|\d+)|\b[A-D]\b|^[a-d]\b")
_TASK = re.compile(
    r"(?:^|[.!,;:\u2014-]\s*)(?:(?:please|now|then|so|ok(?:ay)?|let's|lets|can you|could you|and|just|first)\b,?\s*)*"
    r"(?:add|build|change|check|commit|create|delete|deploy|explain|find|fix|implement|look|make|merge|move|open|push|put"
    r"|rebase|refactor|remove|rename|review|run|show|start|test|update|verify|write)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:never ?mind|ok(?:ay)?|but|and|also|now|please|oh|thanks)\b[,.!]*\s*)*"
    r"(?:(?:can|could|would|will) you\b|I(?:'d| would) like (?:to ask )?you to\b"
    r"|I(?:'d| would) like to ask you\b|I want you to\b|next,? )",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:not|don't|do not|never(?! ?mind)|instead|rather|without|only|no need|wrong|should|already|actually)\b",
    re.IGNORECASE,
)
_PASTED_LINES = re.compile(r"(?:^\s*\d{2,}(?:\s*[-+|\u2502]|\s{2,}\S|\s*$).*\n?){2,}", re.MULTILINE)  # diff, listing
_WORD = re.compile(r"[a-z][a-z0-9_.-]{3,}")
_COMMON = frozenset(
    {
        *("would", "like", "either", "this", "that", "them", "these", "those", "with"),
        *("want", "have", "should", "could", "your", "good", "then", "also"),
    }
)
_OBJECTION = re.compile(
    r"^(?:no|nope|nah|wrong|stop|don't|do not|not (?:that|this|the|like)|(?:that|this|it)(?:'s| is) (?:wrong|not)\b)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:(?:the )?(?:other|old|new|first|second|same|previous|existing) (?:one|way|version|approach)"
    r"|(?:this|that) (?:one|way)|(?:use|do|call|add|put|keep|need|want|change|make|remove) (?:this|that|it|them|these)"
    r"|like (?:this|that))\b",
    re.IGNORECASE,
)
_GROUNDS = re.compile(r"\b(?:because|since|so that|otherwise|instead|should|must|already)\b", re.IGNORECASE)
_LONGEST_OBJECTION = 300
_LONGEST_STATEMENT = 200
_ANSWERED = re.compile(r'"([^"\n]{8,300})"="([^"\n]{1,300})"')
_MAX_ANSWERS = 6
_LEAST_LIKELIHOOD = 0.4  # of longer words after a stop: of nine below it in labelled sessions one was worth keeping
_FEW_WORDS = 8  # after a stop these say what to do instead


def from_rejection(message: Message, use: ToolUse | None, comment: str) -> Learning | None:
    """Return a correction from a person's comment when they rejected the call `use`; None for a question alone."""
    if _is_only_questions(comment):
        return None
    action = f"The person rejected {_describe(use)}" if use else "The person rejected what the agent was about to do"
    return _correction(message, use, action, comment, 0.75, "said when rejecting a tool call")


def from_interruption(message: Message, use: ToolUse | None, model: Model) -> Learning | None:
    """Return a correction from what a person wrote after they had stopped the agent at the call `use`.

    A new request, or words whose point is in the text that they pasted, correct nothing. More than a few words are
    mostly the next task: those that `model` finds unlikely to be worth keeping are left out.
    """
    if use is None or _is_only_questions(message.text):
        return None
    words, pasted = _without_pasted_lines(message.text)
    if (pasted and words.endswith(":")) or (_REQUEST.match(words) and not _CONTRAST.search(words)):
        return None
    is_long = sentence_filters.count_words(words) > _FEW_WORDS
    if is_long and _TASK.match(words) and not _CONTRAST.search(words):
        return None
    if is_long and likelihood_of(words, Role.PERSON, model) < _LEAST_LIKELIHOOD:
        return None
    action = f"The person stopped {_describe(use)}"
    return _correction(message, use, action, words, 0.6, "said after stopping a tool call")


def from_answer(message: Message, questions: str) -> Learning | None:
    """Return the decision in a person's answer to `questions`, those at the end of the agent's last message.

    They are those of `final_questions`, with the options, of which the chosen one is named.
    """
    answer = one_line(message.text)
    questions, options = choices.read(questions)
    if not questions or _OFFER.match(questions) or not _CHOICE.search(questions) or len(answer) > 160:
        return None
    if not _CHOSEN.search(answer) or _is_new_task(questions, answer):
        return None
    if sentence_filters.is_question(answer) or sentence_filters.count_words(answer) < 2:
        return None
    option = choices.chosen(answer, options)
    return _decision(message, questions, answer, 0.7, "a person's answer to the agent's question", option)


def may_object(text: str) -> bool:
    """Return whether a person's `text` objects to something without naming it, and says why or what else."""
    if len(text) > _LONGEST_OBJECTION or not _OBJECTION.match(text):
        return False
    return _POINTS_BACK.search(text) is not None and _GROUNDS.search(text) is not None


def from_objection(message: Message, statement: str) -> Learning | None:
    """Return the correction in a person's words that object to `statement`, the agent's last one, without naming it.

    Words that can be understood alone are learnings without it, and a bare "no" is none.
    """
    words = one_line(message.text)
    if not statement or not may_object(words) or _is_only_questions(words):
        return None
    if sentence_filters.count_words(words) < 5 or _GO_ON.match(words):
        return None
    content = f"To \u201c{statement}\u201d the person said: \u201c{words}\u201d"
    reasons = ("said against what the agent had done", "a person's own words")
    files = files_named(content)
    confidence = max(0.6, least_likelihood_of(words, Role.PERSON))
    return Learning("correction", content, confidence, message.index, message.uuid, reasons, files, (), message.time)


def last_statement(text: str) -> str:
    """Return the last sentence of an agent's words that names something; "" if there is none.

    A question is none, nor a count of tests, to which nobody objects.
    """
    for sentence in reversed(sentences(text)):
        is_statement = not (sentence.text.endswith("?") or is_count(sentence.text))
        if is_statement and sentence_filters.is_specific(sentence.text):
            return shorten(sentence.text.replace("\u201c", '"').replace("\u201d", '"'), _LONGEST_STATEMENT)
    return ""


def from_form(message: Message, text: str) -> list[Learning]:
    """Return the decisions of a person in the form of the agent's question tool, whose result is `text`."""
    answers = _ANSWERED.findall(text)[:_MAX_ANSWERS]
    decisions = (
        _decision(message, question, answer, 0.75, "chosen in a form of the agent's") for question, answer in answers
    )
    return [decision for decision in decisions if decision is not None]


def may_end_with_question(text: str) -> bool:
    """Return whether there is a question mark near the end of an agent's words."""
    return choices.may_end_with_question(text)


def final_questions(text: str) -> str:
    """Return the questions at the end of an agent's words with their options, for `from_answer`; "" without any."""
    return choices.choice_at_end(text).text


def _correction(
    message: Message, use: ToolUse | None, action: str, comment: str, confidence: float, reason: str
) -> Learning | None:
    words = _first_sentences(comment)
    if sentence_filters.count_words(words) < 2 or _GO_ON.match(words) or _BY_ACCIDENT.search(words):
        return None
    content = f"{action} and said: \u201c{words}\u201d"
    if not SHORTEST_CONTENT <= len(content) <= LONGEST_CONTENT:
        return None
    files = tuple(dict.fromkeys([*(use.files if use else ()), *files_named(words)]))[:10]
    tools = (use.name,) if use and use.name else ()
    reasons = (reason, "a person's own words")
    return Learning(
        "correction",
        content,
        max(confidence, least_likelihood_of(words, Role.PERSON)),
        message.index,
        message.uuid,
        reasons,
        files,
        tools,
        message.time,
        source="observed",
    )


def _decision(
    message: Message, questions: str, answer: str, confidence: float, reason: str, option: str = ""
) -> Learning | None:
    asked = f"Asked \u201c{one_line(questions)}\u201d"
    answered = f"the person answered: \u201c{answer}\u201d"
    content = f"{asked} ({option}), {answered}" if option else f"{asked}, {answered}"
    if len(content) > LONGEST_CONTENT:
        content = f"{asked}, {answered}"
    if len(content) > LONGEST_CONTENT:
        return None
    return Learning(
        "decision", content, confidence, message.index, message.uuid, (reason,), files_named(content), (), message.time
    )


def _is_new_task(questions: str, answer: str) -> bool:
    """Return whether `answer` leaves `questions` aside and asks for something else to be done."""
    if _OPTION.search(answer) or not _TASK.search(answer):
        return False
    return not _content_words(questions) & _content_words(answer)


def _content_words(text: str) -> set[str]:
    return {word.rstrip(".-") for word in _WORD.findall(text.lower())} - _COMMON


def _without_pasted_lines(text: str) -> tuple[str, bool]:
    """Return `text` up to its first pasted lines, those with numbers of a diff or a listing, and whether it has any."""
    match = _PASTED_LINES.search(text)
    return (text[: match.start()].rstrip(), True) if match else (text.strip(), False)


def _is_only_questions(text: str) -> bool:
    return all(sentence_filters.is_question(sentence.text) for sentence in sentences(text))


def _describe(use: ToolUse) -> str:
    """Return a short description of `use`: a command as it was run, an edit by its file."""
    if use.command:
        return f"the command `{shorten(one_line(use.command), 100)}`"
    name = {"Write": "writing", "Edit": "an edit of", "MultiEdit": "an edit of", "NotebookEdit": "an edit of"}.get(
        use.name
    )
    if name and use.files:
        return f"{name} `{shorten(use.files[0], 120)}`"
    return f"the agent's use of {use.name}" if use.name else "the agent"


def _first_sentences(comment: str) -> str:
    """Return the first whole sentences of `comment`, without pasted text, up to the longest quotation."""
    texts: list[str] = []
    for sentence in sentences(comment):
        if sum(map(len, texts)) + len(texts) + len(sentence.text) > _LONGEST_COMMENT:
            break
        texts.append(sentence.text)
    return " ".join(texts).rstrip(" :;,(\u2014-")
