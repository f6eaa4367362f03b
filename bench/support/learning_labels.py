"""Labelled real sessions: which statements of a transcript are worth keeping, by people or agents that read it whole.

A folder of labels has `labels.jsonl` and the transcripts that it names. A line of labels has `file` and `message` (the
transcript and the line in it, from 0), `role` (`assistant`, `user` or `outcome`), `quote` (the words), `worth` (2 keep,
1 borderline, 0 not), `type`, and `group` (labels of one file that say the same share a number).

A folder without `labels.jsonl` has excerpts instead: a file for each session, whose first line names the `repository`,
and a line for each message that was written out: `role`, `text`, and `spans` with `quote`, `worth` and `type`.

A text finds its label in the record that it comes from: half of the words of the shorter of the two are in the other.
"""

from __future__ import annotations

import itertools
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.agents.codex import CodexReader
from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.reader import Reader

NEAR = 15  # lines between an outcome and its label: it may be on the call, the result or the message after it
_MOST_BYTES = 1_000_000_000
_COMMON_WORDS = """
    a an the is are was were be been it its this that these those to of in on for with and or so as at by we i you they
    he she not
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_QUOTED = re.compile(r"(?:said|answered): [\u201c\"](.*)[\u201d\"]\s*$", re.DOTALL)


@dataclass(frozen=True)
class Label:
    """A judged statement of a session."""

    number: int
    session: str
    repository: str
    line: int
    role: str
    words: frozenset[str]
    worth: int
    type: str
    group: int | None


@dataclass(frozen=True)
class Session:
    """A transcript with its messages and its labels; `same_reply` gives the id of the reply that a line is part of."""

    name: str
    repository: str
    messages: tuple[Message, ...]
    labels: tuple[Label, ...]
    starts: tuple[int, ...]
    replies: dict[int, str]

    def line_of(self, message: Message) -> int:
        """Return the line of `message` in the transcript, from 0."""
        return bisect_right(self.starts, message.start) - 1

    def label_of(self, text: str, line: int) -> Label | None:
        """Return the label that `text` from the record at `line` finds; None if nobody judged it."""
        quoted = _QUOTED.search(text)
        words = words_of(quoted[1] if quoted else text)
        best: tuple[tuple[float, int, float, float], Label] | None = None
        for label in self.labels:
            if not self._may_be_at(label, line):
                continue
            share, likeness = _overlap(words, label.words)
            rank = (min(round(share, 1), 0.8), label.worth, round(share, 2), round(likeness, 2))
            if share >= 0.5 and (best is None or rank > best[0]):
                best = rank, label
        return best[1] if best else None

    def _may_be_at(self, label: Label, line: int) -> bool:
        if label.line == line or self.replies.get(label.line, "") == self.replies.get(line, "other"):
            return True
        return label.role != "assistant" and abs(label.line - line) <= NEAR


def words_of(text: str) -> frozenset[str]:
    """Return the different words of `text` without the commonest."""
    words = re.findall(r"[a-z0-9_]+", re.sub(r"[`*]", "", text.lower()))
    return frozenset(word for word in words if word not in _COMMON) or frozenset(words)


def has_transcripts(folder: Path) -> bool:
    """Return whether `folder` has whole transcripts with labels, rather than excerpts."""
    return (folder / "labels.jsonl").exists()


def excerpts(folder: Path) -> Iterator[Session]:
    """Yield the sessions of a folder of excerpts, in the order of their names."""
    number = itertools.count()
    for path in sorted(folder.glob("*.jsonl")):
        head, *records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        messages, labels = [], []
        for line, record in enumerate(records):
            role = Role.AGENT if record["role"] == "assistant" else Role.PERSON
            messages.append(Message(index=line, role=role, kind=Kind.WORDS, text=record["text"], start=line))
            labels += [
                _label(
                    {**span, "number": next(number), "message": line, "role": record["role"]},
                    path.name,
                    head["repository"],
                )
                for span in record["spans"]
            ]
        yield Session(path.name, head["repository"], tuple(messages), tuple(labels), tuple(range(len(messages))), {})


def sessions(folder: Path) -> Iterator[Session]:
    """Yield the labelled sessions of `folder`, in the order of their names."""
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with (folder / "labels.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            by_file[json.loads(line)["file"]].append({**json.loads(line), "number": number})
    for file, contents in sorted(by_file.items()):
        yield _session(folder / file, contents)


def _session(path: Path, contents: list[dict[str, Any]]) -> Session:
    starts, replies, offset = [], {}, 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines):
            starts.append(offset)
            offset += len(line)
            record = json.loads(line)
            message = record.get("message")
            if isinstance(message, dict) and message.get("id"):
                replies[number] = message["id"]
    repository = contents[0]["source"].partition("@")[0]
    labels = tuple(_label(content, path.name, repository) for content in contents)
    reader = CodexReader() if replies == {} and b'"session_meta"' in path.read_bytes()[:20_000] else ClaudeCodeReader()
    return Session(path.name, repository, tuple(_messages(reader, path)), labels, tuple(starts), replies)


def _label(content: dict[str, Any], name: str, repository: str) -> Label:
    return Label(
        content["number"],
        name,
        repository,
        content["message"],
        content["role"],
        words_of(content["quote"]),
        content["worth"],
        content["type"] or "",
        content.get("group"),
    )


def _messages(reader: Reader, path: Path) -> Iterator[Message]:
    offset, memory = 0, dict[str, Any]()
    with path.open("rb") as file:
        while True:
            reading = reader.read(file, offset, memory, limit=_MOST_BYTES, at_rest=True)
            yield from reading.messages
            if reading.end == offset:
                return
            offset, memory = reading.end, reading.memory


def _overlap(first: frozenset[str], second: frozenset[str]) -> tuple[float, float]:
    """Return the share of the shorter in the other and the Jaccard likeness; zeros if too little is in common."""
    common, short = len(first & second), min(len(first), len(second))
    if not short or common < (3 if short >= 4 else min(2, short)):
        return 0.0, 0.0
    return common / short, common / len(first | second)
