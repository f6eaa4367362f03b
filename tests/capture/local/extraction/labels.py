"""Labelled messages and the extractor's score on them; `bench/extraction.py` prints it, a test asserts it.

Three sets: "labelled" was used while the patterns were written; "held out" was written before the patterns were
widened, "unseen" after, and both were only measured, never read.

`agent.tsv` and `person.tsv` have a message on each line: the types of which a careful reader would capture one from it
(`-` for a near miss), a tab, the text. In the files named after a set the line begins with the role, and each expected
learning is in double brackets with its type, or with several allowed types. `stories.jsonl` has parts of sessions:
steps, and types of learnings with words that they contain.

`person_messages.tsv` and `person_messages_unseen.tsv` have messages as people write them to agents, each with "+" if a
later session should know what it says, else "-". Annotators wrote them who had seen neither rules nor results. The
weights for people's sentences are fitted on the former too, the latter is only measured.
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
from tests.support.agents.claude_transcripts import SAID, STOP, Transcript

FOLDER = Path(__file__).parent / "labelled"
SETS = ("labelled", "held out", "unseen")
_SPAN = re.compile(r"\[\[([a-z_,]+)\|(.*?)\]\]", re.DOTALL)
_WORD = re.compile(r"\w+")

Extract = Callable[[Sequence[Message]], list[tuple[str, str]]]


@dataclass(frozen=True)
class Expected:
    """An expected learning: of one of `types`, about `text`; if `exact`, its content contains `text`."""

    types: frozenset[str]
    text: str
    exact: bool = False

    def matches(self, content: str) -> bool:
        """Return whether a learning with `content`, of any type, comes from this text."""
        if self.exact:
            return self.text in content
        words = _words(content)
        return bool(words) and 2 * sum((words & _words(self.text)).values()) > words.total()


@dataclass(frozen=True)
class Sample:
    """Messages and the learnings expected from them; none for a near miss."""

    messages: Sequence[Message]
    expected: Sequence[Expected]
    shown: str


@dataclass(frozen=True)
class LabelledMessage:
    """A person's message, and whether a later session should know what it says."""

    text: str
    is_worth_keeping: bool


@dataclass
class Score:
    """The numbers of right, wrong and missed learnings by type; `mistakes` are (wrong or missed, type, text)."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    mistakes: list[tuple[str, str, str]] = field(default_factory=list)

    def precision(self, kind: str = "") -> float:
        """Return the share of the extracted learnings that is right; 1.0 if none was extracted."""
        return _share(*((self.right[kind], self.wrong[kind]) if kind else (self.right.total(), self.wrong.total())))

    def recall(self, kind: str = "") -> float:
        """Return the share of the expected learnings that was extracted; 1.0 if none was expected."""
        return _share(*((self.right[kind], self.missed[kind]) if kind else (self.right.total(), self.missed.total())))


def samples(which: str) -> Iterator[Sample]:
    """Yield the samples of one of `SETS`."""
    if which == "labelled":
        yield from _by_line()
    yield from _by_place(f"{which.replace(' ', '_')}.tsv")
    for line in _lines("stories.jsonl"):
        story = json.loads(line)
        if story["set"] == which:
            expected = [Expected(frozenset([kind]), words, exact=True) for kind, words in story["expect"]]
            yield Sample(_messages_of(story["steps"]), expected, json.dumps(story["steps"], ensure_ascii=False))


def person_messages(which: str) -> Iterator[LabelledMessage]:
    """Yield the messages of "person_messages" or "person_messages_unseen"."""
    for line in _lines(f"{which}.tsv"):
        sign, text = line.split("\t", 1)
        yield LabelledMessage(text, sign == "+")


def score(which: Sequence[Sample], extract: Extract) -> Score:
    """Return the score of `extract`, which returns type and content of each learning in the messages of a sample."""
    result = Score()
    for sample in which:
        missing = list(sample.expected)
        for kind, content in extract(sample.messages):
            matches = [expected for expected in missing if kind in expected.types and expected.matches(content)]
            if matches:
                missing.remove(matches[0])
                result.right[kind] += 1
            elif not any(kind in expected.types and expected.matches(content) for expected in sample.expected):
                result.wrong[kind] += 1
                result.mistakes.append(("wrong", kind, content))
        for expected in missing:
            result.missed[min(expected.types)] += 1
            result.mistakes.append(("missed", ",".join(sorted(expected.types)), expected.text))
    return result


def extracted(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Return type and content of each learning that the extractor finds in `messages`."""
    return [(learning.type, learning.content) for learning in IncrementalExtractor().extract(messages)]


def _by_line() -> Iterator[Sample]:
    for role in (Role.AGENT, Role.PERSON):
        for line in _lines(f"{role}.tsv"):
            types, text = line.split("\t", 1)
            kinds = frozenset(types.split(",")) - {"-"}
            text = _unescaped(text)
            yield Sample([_message(role, text)], [Expected(kinds, text)] if kinds else [], text)


def _by_place(name: str) -> Iterator[Sample]:
    for line in _lines(name):
        role, text = line.split("\t", 1)
        text = _unescaped(text)
        expected = [Expected(frozenset(span[1].split(",")), span[2]) for span in _SPAN.finditer(text)]
        text = _SPAN.sub(r"\2", text)
        yield Sample([_message(Role(role), text)], expected, text)


def _lines(name: str) -> list[str]:
    return (FOLDER / name).read_text("utf-8").split("\n")[:-1]


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\\\", "\\")


def _message(role: Role, text: str) -> Message:
    return Message(1, role, Kind.WORDS, uuid="u", text=own_words(text))


def _messages_of(steps: Sequence[Sequence[Any]]) -> list[Message]:
    """Return the messages of a story, written as a transcript and read by its reader."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Transcript(Path(folder) / "story.jsonl")
        for number, (step, *arguments) in enumerate(steps):
            _STEPS[step](transcript, f"c{number}", *arguments)
        with transcript.path.open("rb") as file:
            return ClaudeCodeReader().read(file, 0, {}, limit=10**9).messages


def _rejected(transcript: Transcript, call: str, tool: str, tool_input: dict[str, Any], comment: str) -> None:
    transcript.use(call, tool, tool_input)
    transcript.result(call, SAID + comment if comment else STOP, error=True)


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
