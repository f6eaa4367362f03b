"""The stream of messages that every transcript is read as, whichever agent wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from memoryserver.common.redaction import redact


class Role(StrEnum):
    """Who speaks."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"
    MACHINE = "machine"  # the agent's program itself: injected context, summaries, notices


class Kind(StrEnum):
    """What a message is."""

    WORDS = "words"
    TOOL_USE = "tool_use"
    TOOL_RESULT = "tool_result"
    INTERRUPTION = "interruption"  # a person stopped the agent; what they want follows in their next words
    COMPACTION = "compaction"  # the agent's context was compacted here
    OTHER = "other"  # nothing to learn from: thinking, injected context, command wrappers, pictures


class Outcome(StrEnum):
    """How a tool call came out. Only `FAILED` means that what was tried did not work."""

    OK = "ok"
    FAILED = "failed"
    REJECTED = "rejected"  # by a person
    NOT_RUN = "not_run"  # denied by a rule, cancelled with a sibling, or refused before it started


_MOST_COMMAND = 2000  # characters


# None of these is frozen, for that alone would double what it costs to make one; none is changed once it is made.
class ToolUse:
    """A call of a tool: `command` for a shell, `files` as far as the input names any.

    `given` is the whole input and `raw_command` the command, secrets and all, as the transcript has them; they are
    never kept between two readings. Of most commands nothing is learned, so secrets are cut out when one is asked for.
    """

    __slots__ = ("_command", "files", "given", "id", "name", "raw_command")

    def __init__(
        self,
        id: str,  # noqa: A002 - as transcripts name it
        name: str,
        command: str | None = "",
        files: tuple[str, ...] = (),
        given: Any = None,
        raw_command: str = "",
    ) -> None:
        self.id = id
        self.name = name
        self.files = files
        self.given = given
        self.raw_command = raw_command or command or ""
        self._command = command  # None: `raw_command` without its secrets

    @property
    def command(self) -> str:
        """What a shell was given, without secrets; "" for other tools."""
        if self._command is None:
            self._command = redact(self.raw_command).text[:_MOST_COMMAND]
        return self._command

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolUse) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolUse({self.id!r}, {self.name!r}, {self.command!r}, {self.files!r})"

    def to_dict(self) -> dict[str, Any]:
        """As JSON, for the state between two readings."""
        return {"id": self.id, "name": self.name, "command": self.command, "files": list(self.files)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ToolUse:
        """The reverse of `to_dict`; raises KeyError, TypeError or ValueError for anything else."""
        files = tuple(str(name) for name in given["files"])
        return cls(str(given["id"]), str(given["name"]), str(given["command"]), files)


@dataclass(slots=True)
class ToolResult:
    """What came back; `use` is the call, None where the transcript does not hold it.

    `said` is what a person said when they rejected the call, "" if nothing. `reported` is the outcome as
    `memoryserver.common.outcomes` has it, from which `outcome` follows.
    """

    use: ToolUse | None
    outcome: Outcome
    text: str
    said: str = ""
    reported: str = ""


@dataclass(slots=True)
class Message:
    """One message. `index` counts from 1 in its transcript, also what nothing can be learned from.

    `uuid` is that of the message it is a copy of, where the transcript says so; "" where there is none. Agents
    that give their messages none get one made of what is said, after what. `time` is as the transcript writes
    it. `start` and `end` are the byte range of the line it stands on.
    """

    index: int
    role: Role
    kind: Kind
    uuid: str = ""
    text: str = ""
    uses: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()
    model: str = ""
    time: str = ""
    cwd: str = ""
    branch: str = ""
    agent: str = ""
    session: str = ""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Counts:
    """What a reading met besides messages; `unknown` are whole records of no use, by their type."""

    bad_lines: int = 0
    recovered: int = 0
    long_lines: int = 0
    unknown: dict[str, int] = field(default_factory=dict)

    def add_unknown(self, kind: str) -> None:
        """One more record of the type `kind` was passed over; at most 100 types are told apart."""
        name = kind[:60] if len(self.unknown) < 100 or kind[:60] in self.unknown else "other"
        self.unknown[name] = self.unknown.get(name, 0) + 1
