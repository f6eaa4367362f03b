"""What a reader is: the one module that knows the transcripts of one agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from capture.local.transcripts.lines import lines_from
from capture.local.transcripts.messages import Counts, Message
from capture.local.transcripts.stretch import Stretch


class TranscriptError(Exception):
    """Why a transcript cannot be read, and what to do: one line, without the path."""


class DamagedTranscriptError(TranscriptError):
    """It cannot be read as long as its file is what it is."""


@dataclass(slots=True)
class Reading:
    """The messages of one stretch of a transcript.

    `end` is the byte after the last whole line; `memory` is what the reading of the next stretch must be
    given (plain JSON).
    """

    messages: list[Message]
    end: int
    memory: dict[str, Any]
    counts: Counts = field(default_factory=Counts)


class Reader(ABC):
    """Reads the transcripts of one kind of agent.

    `takes_any`: its transcripts are not known by their names; a file that another reader knows is none of them.
    """

    agent_kind: ClassVar[str]
    takes_any: ClassVar[bool] = False

    @abstractmethod
    def roots(self) -> list[Path]:
        """The folders below which the agent keeps transcripts on this machine; only those that exist."""

    @abstractmethod
    def find(self, root: Path) -> Iterator[Path]:
        """The agent's transcripts below `root`, in a stable order; what is none of its is left out."""

    @abstractmethod
    def context_id(self, path: Path) -> str:
        """The name of the context that `path` holds: the same wherever the file lies, fit for a file name."""

    def agent_name(self, path: Path) -> str:
        """The agent that speaks in `path`: a sub-agent's type, else "main"."""
        return "main"

    def open(self, path: Path) -> BinaryIO:
        """The transcript's bytes, from its start, to be read at any offset.

        Raises OSError, and TranscriptError where something is missing that reads this form of file.
        """
        return path.open("rb")

    def is_rewritten(self, path: Path) -> bool:
        """Whether the agent writes the whole file anew at each turn, so that other content means no compaction."""
        return False

    @abstractmethod
    def read(self, file: BinaryIO, offset: int, memory: dict[str, Any], *, limit: int) -> Reading:
        """Read whole lines from the byte `offset`, at most about `limit` bytes but at least one line.

        `memory` is that of the reading that ended at `offset`, empty at the start. Raises OSError.
        """


class LinesReader(Reader):
    """A reader of JSONL; `stretch` turns its lines into messages."""

    stretch: ClassVar[type[Stretch]]

    def read(self, file: BinaryIO, offset: int, memory: dict[str, Any], *, limit: int) -> Reading:
        """See `Reader.read`."""
        stretch = self.stretch(memory)
        end = offset
        for line in lines_from(file, offset, limit=limit):
            stretch.take(line.content, line.start, line.end)
            end = line.end
        return Reading(stretch.messages, end, stretch.memory(), stretch.counts)


def existing(folders: list[Path]) -> list[Path]:
    """Those of `folders` that are folders, each once, in their order."""
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
