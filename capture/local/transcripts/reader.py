"""The interface of a reader: the one module that knows the transcripts of one agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from capture.local.transcripts.lines import lines_from
from capture.local.transcripts.messages import Counts, Message
from capture.local.transcripts.stretch import Noted, Stretch, ignore_message
from capture.local.transcripts.walk import Skip, ignore


class TranscriptError(Exception):
    """Why a transcript cannot be read, and what to do: one line, without the path."""


class DamagedTranscriptError(TranscriptError):
    """The transcript cannot be read until its file changes."""


@dataclass(slots=True)
class Reading:
    """The messages of one stretch of a transcript.

    `end` is the byte after the last whole line; `memory` (plain JSON) must be passed to the reading
    of the next stretch.
    """

    messages: list[Message]
    end: int
    memory: dict[str, Any]
    counts: Counts = field(default_factory=Counts)


class Reader(ABC):
    """Reads the transcripts of one kind of agent.

    `takes_any`: its transcripts have no distinctive names; files that another reader recognizes are excluded.
    `shrinks_at_compaction`: its transcripts do not say where a context was compacted; a file with fewer messages than
    before was.
    """

    agent_kind: ClassVar[str]
    takes_any: ClassVar[bool] = False
    shrinks_at_compaction: ClassVar[bool] = False

    @abstractmethod
    def roots(self) -> list[Path]:
        """Return the folders below which the agent keeps transcripts on this machine; only those that exist."""

    @abstractmethod
    def find(self, root: Path, skip: Skip = ignore) -> Iterator[Path]:
        """Yield the agent's transcripts below `root`, in a stable order, and no other files.

        `skip` is called with each folder or file that may have transcripts and cannot be read.
        """

    @abstractmethod
    def transcript_id(self, path: Path) -> str:
        """Return the id of the transcript at `path`: the same in any folder, and usable in a file name."""

    def agent_name(self, path: Path) -> str:
        """Return the agent that speaks in `path`: a sub-agent's type, else "main"."""
        return "main"

    def main_transcript(self, path: Path, session: str) -> Path | None:
        """Return the transcript of the session that started the sub-agent of `path`; None if there is none.

        `session` is the session that the transcript itself names, "" if it names none.
        """
        return None

    def session_transcripts(self, path: Path) -> list[Path]:
        """Return the other transcripts of the session of `path`: its main one, and those of its sub-agents."""
        return []

    def slug(self, path: Path) -> str:
        """Return the name by which the agent calls the folder of the session in the path of its transcript, or ""."""
        return ""

    def open(self, path: Path) -> BinaryIO:
        """Return the transcript's bytes, from its start, as a seekable file.

        Raises OSError, and TranscriptError if a program that reads this form of file is missing.
        """
        return path.open("rb")

    def is_rewritten(self, path: Path) -> bool:
        """Return whether the agent rewrites the whole file at each turn, so that a change is not a compaction."""
        return False

    @abstractmethod
    def read(
        self,
        file: BinaryIO,
        offset: int,
        memory: dict[str, Any],
        *,
        limit: int,
        at_rest: bool = False,
        noted: Noted = ignore_message,
    ) -> Reading:
        """Read whole lines from the byte `offset`, at most about `limit` bytes but at least one line.

        `at_rest`: the file has not been written to for a while, so that a whole record at its end counts as a line.

        `memory` is that of the reading that ended at `offset`, empty at the start. `noted` is called with each message
        as soon as it is read. Raises OSError.
        """


class LinesReader(Reader):
    """A reader of JSONL; `stretch` turns its lines into messages."""

    stretch: ClassVar[type[Stretch]]

    def read(
        self,
        file: BinaryIO,
        offset: int,
        memory: dict[str, Any],
        *,
        limit: int,
        at_rest: bool = False,
        noted: Noted = ignore_message,
    ) -> Reading:
        """See `Reader.read`."""
        stretch = self.stretch(memory)
        stretch.noted = noted
        end = offset
        for line in lines_from(file, offset, limit=limit, at_rest=at_rest):
            stretch.read_line(line.content, line.start, line.end)
            end = line.end
        return Reading(stretch.messages, end, stretch.memory(), stretch.counts)


def existing(folders: list[Path]) -> list[Path]:
    """Return those of `folders` that exist, without duplicates, in their order."""
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
