"""The messages of a transcript, in the same form for every agent."""

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
    """The kinds of messages."""

    WORDS = "words"
    TOOL_USE = "tool_use"
    TOOL_RESULT = "tool_result"
    INTERRUPTION = "interruption"  # a person stopped the agent; their next message says what they want
    COMPACTION = "compaction"  # the agent's context was compacted here
    OTHER = "other"  # nothing to learn from: thinking, injected context, command wrappers, pictures


class Outcome(StrEnum):
    """The outcome of a tool call. Only `FAILED` means that the attempted action did not work."""

    OK = "ok"
    FAILED = "failed"
    REJECTED = "rejected"  # by a person
    NOT_RUN = "not_run"  # denied by a rule, cancelled with a sibling, or refused before it started


_MAX_COMMAND = 2000  # characters


# These classes are not frozen because that would double the cost of creating one; instances are not changed.
class ToolUse:
    """A call of a tool: `command` for a shell, `files` as far as the input names any.

    `tool_input` is the whole input and `raw_command` the command, with their secrets, as in the transcript; they are
    never saved between two readings. Most commands are never used, so secrets are redacted on first access.
    """

    __slots__ = ("_command", "files", "id", "name", "raw_command", "tool_input")

    def __init__(
        self,
        id: str,  # noqa: A002 - as transcripts name it
        name: str,
        command: str | None = "",
        files: tuple[str, ...] = (),
        tool_input: Any = None,
        raw_command: str = "",
    ) -> None:
        self.id = id
        self.name = name
        self.files = files
        self.tool_input = tool_input
        self.raw_command = raw_command or command or ""
        self._command = command  # None: `raw_command` without its secrets

    @property
    def command(self) -> str:
        """Return the command of a shell without its secrets; "" for other tools."""
        if self._command is None:
            self._command = redact(self.raw_command).text[:_MAX_COMMAND]
        return self._command

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolUse) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolUse({self.id!r}, {self.name!r}, {self.command!r}, {self.files!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object for the state between two readings."""
        return {"id": self.id, "name": self.name, "command": self.command, "files": list(self.files)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> ToolUse:
        """Return the call in an object of `to_dict`; raises KeyError, TypeError or ValueError if it is invalid."""
        files = tuple(str(name) for name in content["files"])
        return cls(str(content["id"]), str(content["name"]), str(content["command"]), files)


@dataclass(slots=True)
class ToolResult:
    """The result of a call; `use` is the call, None if the transcript does not contain it.

    `comment` is a person's when they rejected the call, "" if none. `reported` is the outcome in the terms of
    `memoryserver.common.outcomes`, from which `outcome` follows.
    """

    use: ToolUse | None
    outcome: Outcome
    text: str
    comment: str = ""
    reported: str = ""


@dataclass(slots=True)
class Message:
    """One message. `index` counts from 1 in its transcript, over all messages.

    `uuid` is that of the message it is a copy of, where the transcript says so; "" if there is none. For
    agents without uuids it is derived from the text and the texts before it. `time` is as the transcript writes
    it. `start` and `end` are the byte range of its line.
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
    """Counts of other lines in a reading; `unknown` counts valid records without a message, by type."""

    bad_lines: int = 0
    recovered: int = 0
    long_lines: int = 0
    unknown: dict[str, int] = field(default_factory=dict)

    def add_unknown(self, kind: str) -> None:
        """Count a skipped record of the type `kind`; at most 100 types are counted separately."""
        name = kind[:60] if len(self.unknown) < 100 or kind[:60] in self.unknown else "other"
        self.unknown[name] = self.unknown.get(name, 0) + 1
