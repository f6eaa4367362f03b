"""What a reader is: the one module that knows the transcripts of one agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from capture.local.transcripts.messages import Counts, Message


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


class Reader(Protocol):
    """Reads the transcripts of one kind of agent."""

    agent_kind: str

    def roots(self) -> list[Path]:
        """The folders below which the agent keeps transcripts on this machine; only those that exist."""

    def find(self, root: Path) -> Iterator[Path]:
        """The agent's transcripts below `root`, in a stable order; what is none of its is left out."""

    def context_id(self, path: Path) -> str:
        """The name of the context that `path` holds: the same wherever the file lies, fit for a file name."""

    def agent_name(self, path: Path) -> str:
        """The agent that speaks in `path`: a sub-agent's type, else "main"."""

    def read(self, file: BinaryIO, offset: int, memory: dict[str, Any], *, limit: int) -> Reading:
        """Read whole lines from the byte `offset`, at most about `limit` bytes but at least one line.

        `memory` is that of the reading that ended at `offset`, empty at the start. Raises OSError.
        """
