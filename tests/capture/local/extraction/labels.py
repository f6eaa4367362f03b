"""Labelled messages and how well the extractor does on them; `bench/extraction.py` prints it, a test asserts it.

Three sets: "labelled" was looked at while the patterns were made; "held out" was written before the patterns were
widened, "unseen" after, and neither was looked at, only measured.

`agent.tsv` and `person.tsv` have a message on each line: the types of which a careful reader would keep one from it
(`-` for a near miss), a tab, the text. In the files with a set's name whoever speaks comes first, and what is to be
taken stands in double brackets with its type, or types where either will do. `stories.jsonl` has stretches of sessions:
steps, and types of learnings with words that are in them.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.wrappers import own_words
from tests.support.claude_transcripts import SAID, STOP, Transcript

FOLDER = Path(__file__).parent / "labelled"
SETS = ("labelled", "held out", "unseen")
_SPAN = re.compile(r"\[\[([a-z_,]+)\|(.*?)\]\]", re.DOTALL)
_WORD = re.compile(r"\w+")

Extract = Callable[[Sequence[Message]], list[tuple[str, str]]]


@dataclass(frozen=True)
class Expected:
    """A learning that should be taken: of one of `types`, about `text`; `exact`: its content has `text` in it."""

    types: frozenset[str]
    text: str
    exact: bool = False

    def is_meant(self, content: str) -> bool:
        """Whether a learning with `content` is taken from this place, whatever its type."""
        if self.exact:
            return self.text in content
        words = _words(content)
        return bool(words) and 2 * sum((words & _words(self.text)).values()) > words.total()


@dataclass(frozen=True)
class Sample:
    """Messages and what is to be taken from them, nothing for a near miss."""

    messages: Sequence[Message]
    expected: Sequence[Expected]
    shown: str


@dataclass
class Score:
    """How many learnings were taken rightly and wrongly, and how many were missed, by type; `wrong` ones are shown."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    mistakes: list[tuple[str, str, str]] = field(default_factory=list)

    def precision(self, kind: str = "") -> float:
        """The share of what was taken that is right; 1.0 where nothing was taken."""
        return _share(*((self.right[kind], self.wrong[kind]) if kind else (self.right.total(), self.wrong.total())))

    def recall(self, kind: str = "") -> float:
        """The share of what should be taken that was."""
        return _share(*((self.right[kind], self.missed[kind]) if kind else (self.right.total(), self.missed.total())))


def samples(which: str) -> Iterator[Sample]:
    """The samples of one of `SETS`."""
    if which == "labelled":
        yield from _by_line()
    yield from _by_place(f"{which.replace(' ', '_')}.tsv")
    for line in _lines("stories.jsonl"):
        story = json.loads(line)
        if story["set"] == which:
            expected = [Expected(frozenset([kind]), words, exact=True) for kind, words in story["expect"]]
            yield Sample(_told(story["steps"]), expected, json.dumps(story["steps"], ensure_ascii=False))


def score(which: Sequence[Sample], extract: Extract) -> Score:
    """`extract` gives type and content of what it takes from the messages of a sample."""
    done = Score()
    for sample in which:
        left = list(sample.expected)
        for kind, content in extract(sample.messages):
            meant = [one for one in left if one.is_meant(content)]
            fitting = [one for one in meant if kind in one.types]
            if fitting:
                left.remove(fitting[0])
                done.right[kind] += 1
            elif not any(kind in one.types and one.is_meant(content) for one in sample.expected):
                done.wrong[kind] += 1
                done.mistakes.append(("wrong", kind, content))
        for one in left:
            done.missed[min(one.types)] += 1
            done.mistakes.append(("missed", ",".join(sorted(one.types)), one.text))
    return done


def extracted(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """What the extractor takes."""
    return [(one.type, one.content) for one in IncrementalExtractor().extract(messages)]


def _by_line() -> Iterator[Sample]:
    for role in (Role.AGENT, Role.PERSON):
        for line in _lines(f"{role}.tsv"):
            types, text = line.split("\t", 1)
            kinds = frozenset(types.split(",")) - {"-"}
            text = _unescaped(text)
            yield Sample([_said(role, text)], [Expected(kinds, text)] if kinds else [], text)


def _by_place(name: str) -> Iterator[Sample]:
    for line in _lines(name):
        role, text = line.split("\t", 1)
        text = _unescaped(text)
        expected = [Expected(frozenset(span[1].split(",")), span[2]) for span in _SPAN.finditer(text)]
        text = _SPAN.sub(r"\2", text)
        yield Sample([_said(Role(role), text)], expected, text)


def _lines(name: str) -> list[str]:
    return (FOLDER / name).read_text("utf-8").split("\n")[:-1]


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\\\", "\\")


def _said(role: Role, text: str) -> Message:
    return Message(1, role, Kind.WORDS, uuid="u", text=own_words(text))


def _told(steps: Sequence[Sequence[Any]]) -> list[Message]:
    """A story as the reader of transcripts reads it."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Transcript(Path(folder) / "story.jsonl")
        for number, (step, *given) in enumerate(steps):
            _STEPS[step](transcript, f"c{number}", *given)
        with transcript.path.open("rb") as file:
            return ClaudeCodeReader().read(file, 0, {}, limit=10**9).messages


def _rejected(transcript: Transcript, call: str, tool: str, given: dict[str, Any], said: str) -> None:
    transcript.use(call, tool, given)
    transcript.result(call, SAID + said if said else STOP, error=True)


def _edited(transcript: Transcript, call: str, name: str) -> None:
    transcript.use(call, "Edit", {"file_path": f"/nowhere/shop/{name}"})
    transcript.result(call, "ok")


def _form(transcript: Transcript, call: str, question: str, answer: str) -> None:
    transcript.use(call, "AskUserQuestion", {"questions": []})
    transcript.result(call, f'User has answered your questions: "{question}"="{answer}". You can now continue.')


_STEPS: dict[str, Callable[..., None]] = {
    "agent": lambda transcript, _, text: transcript.agent(text),
    "person": lambda transcript, _, text: transcript.person(text),
    "ran": lambda transcript, call, command, output: transcript.ran(call, command, output),
    "failed": lambda transcript, call, command, output: transcript.ran(
        call, command, f"Exit code 1\n{output}", error=True
    ),
    "rejected": _rejected,
    "edited": _edited,
    "form": _form,
    "interrupted": lambda transcript, _: transcript.person("[Request interrupted by user for tool use]"),
}


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _share(of: int, others: int) -> float:
    return of / (of + others) if of + others else 1.0
