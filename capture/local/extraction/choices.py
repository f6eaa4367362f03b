"""The choice that an agent leaves to a person: its question, the options that it lists, and the one that is chosen."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from capture.local.extraction.sentences import sentences
from memoryserver.common.text import one_line, shorten

_LONGEST_END = 2_000  # characters at the end of a text that are searched for a question mark
_LONGEST_CHOICE = 6_000  # characters before that, in which the options are listed
_LONGEST_QUESTIONS = 240
_LONGEST_OPTION = 160
_MOST_OPTIONS = 5
_VAGUE_WORDS = 6  # at most, of a question that names nothing: "Which do you prefer?"
_FEWEST_WORDS = 5  # of the question before it that says what is meant
_NAME = re.compile(r"`|\w[ ,]+[A-Z]\w")
_HEADING = re.compile(r"^(?:(?:next|last|final|first|open) )?question(?: \d+)?: ", re.IGNORECASE)
_OPTION = re.compile(
    r"^[\s|>*_#-]*(?:option\s+)?\**(?P<label>[A-E]|[1-5])\**\s?[.):]\**\s+(?P<text>\S.*)$", re.IGNORECASE | re.MULTILINE
)
_MARKS = re.compile(r"\*\*|\s*\(recommended\)|^[|\s]+|[|\s]+$", re.IGNORECASE)
_CELL = re.compile(r"\s*\|\s*")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_CHOSEN_LABELS = (  # "A. is fine", "let's do option b", "I think B, as it is smaller"
    re.compile(
        r"^(?:(?:option|number) |#)?([a-e1-5])(?=[.,):;!]|$| (?:is|please|and|with|but|looks|sounds)\b)", re.IGNORECASE
    ),
    re.compile(r"\boption ([a-e1-5])\b", re.IGNORECASE),
    re.compile(r"(?<![\w'])([B-E])(?![\w'])"),
)
_CHOSEN_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)})(?: (?:one|option|way|approach))?\b", re.IGNORECASE)


class Choice(NamedTuple):
    """Questions, and the options by label; `text` carries it from one reading to the next."""

    questions: str
    options: dict[str, str]

    @property
    def text(self) -> str:
        """The choice on lines, the first of them the questions; "" without any."""
        return "\n".join([self.questions, *(f"{label}: {text}" for label, text in self.options.items())]).strip()


def choice_at_end(text: str) -> Choice:
    """Return the questions at the end of an agent's words, with the options that they list; empty if there are none.

    Questions that name nothing ("Which do you prefer?") get the one before them.
    """
    if not may_end_with_question(text):
        return Choice("", {})
    spoken = [sentence.text for sentence in sentences(text)]
    at = len(spoken)
    while at > 0 and len(spoken) - at < 3 and spoken[at - 1].endswith("?"):
        at -= 1
    questions = " ".join(spoken[at:])
    if questions and _is_vague(questions):
        before = next((one for one in reversed(spoken[:at]) if _says_what(one)), "")
        questions = f"{_HEADING.sub('', before)} {questions}".strip()
    options = _options(text[-_LONGEST_CHOICE:]) if questions else {}
    return Choice(shorten(one_line(questions), _LONGEST_QUESTIONS), options)


def may_end_with_question(text: str) -> bool:
    """Return whether there is a question mark near the end of an agent's words."""
    return "?" in text[-_LONGEST_END:]


def read(text: str) -> Choice:
    """Return the choice that `text`, a `Choice.text`, carries."""
    questions, *lines = text.split("\n")
    return Choice(questions, {label: option for label, _, option in (line.partition(": ") for line in lines)})


def chosen(answer: str, options: dict[str, str]) -> str:
    """Return the option that a person's `answer` names, with its label ("B: Vite"); "" if it names none of them."""
    match = next(filter(None, (pattern.search(answer) for pattern in _CHOSEN_LABELS)), None)
    if match is not None:
        label = match[1].upper()
    elif match := _CHOSEN_ORDINAL.search(answer):
        label = next(islice(options, _ORDINALS.index(match[1].lower()), None), "")
    else:
        return ""
    return f"{label}: {options[label]}" if label in options else ""


def _is_vague(questions: str) -> bool:
    return len(questions.split()) <= _VAGUE_WORDS and _NAME.search(questions) is None


def _says_what(sentence: str) -> bool:
    return sentence.endswith("?") and len(sentence.split()) >= _FEWEST_WORDS


def _options(text: str) -> dict[str, str]:
    """Return the last list of at least two options in `text`, by their labels in capitals."""
    found: dict[str, str] = {}
    for match in _OPTION.finditer(text):
        label = match["label"].upper()
        if label in ("A", "1"):
            found = {}
        elif not found or ord(label) != ord(list(found)[-1]) + 1:
            continue
        plain = _CELL.sub(": ", _MARKS.sub("", match["text"]))
        found[label] = shorten(one_line(plain), _LONGEST_OPTION)
    return dict(list(found.items())[:_MOST_OPTIONS]) if len(found) > 1 else {}
