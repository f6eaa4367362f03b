"""Reads the plain form: files named `transcript.jsonl` whose lines are `{"type": ..., "content": ...}`.

The types are `user_message` and `assistant_message`. The conversations of an agent without a reader can be written
in this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capture.local.transcripts.agents import claude_code
from capture.local.transcripts.messages import Kind, Role
from capture.local.transcripts.reader import LinesReader
from capture.local.transcripts.stretch import Stretch, text_of, texts_in
from capture.local.transcripts.walk import Skip, ignore, walk
from capture.local.transcripts.wrappers import own_words

NAME = "transcript.jsonl"
_ROLES = {"user_message": Role.PERSON, "assistant_message": Role.AGENT}
_MARKS = tuple(f'"{name}"'.encode() for name in _ROLES)
_HEAD = 64 * 1024


class _Stretch(Stretch):
    def read_record(self, record: dict[str, Any]) -> None:
        role = _ROLES.get(text_of(record.get("type")))
        if role is None:
            self.skip(record.get("type"))
            return
        words = own_words(text_of(texts_in(record.get("content"))))
        about = {name: text_of(record.get(key))[:1000] for name, key in _FIELDS.items()}
        if words:
            self.add(role, Kind.WORDS, text=words, **about)
        else:
            self.add(Role.MACHINE, Kind.OTHER, **about)


_FIELDS = {"uuid": "uuid", "time": "timestamp", "cwd": "cwd", "branch": "gitBranch", "session": "sessionId"}


class PlainReader(LinesReader):
    """The reader of the plain form."""

    agent_kind = "plain"
    shrinks_at_compaction = True
    stretch = _Stretch

    def roots(self) -> list[Path]:
        """Return the folders of Claude Code, which may hold the plain form too."""
        return claude_code.READER.roots()

    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        """Yield every `transcript.jsonl` below `root` with a line of the plain form near its start."""
        for folder, folders, names in walk(root, skip):
            folders.sort()
            path = Path(folder, NAME)
            if NAME in names and _is_plain(path):
                yield path

    def transcript_id(self, path: Path) -> str:
        """Return the name of the folder that the file lies in."""
        return path.parent.name


READER = PlainReader()


def _is_plain(path: Path) -> bool:
    if not path.is_file():  # to open a pipe would wait for its writer
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:  # then another reader may tell why
        return False
    return any(mark in head for mark in _MARKS)
