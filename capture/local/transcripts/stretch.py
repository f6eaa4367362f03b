"""Turns the records of a JSONL transcript into messages, one stretch of the file after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from capture.local.transcripts.lines import records_of
from capture.local.transcripts.messages import Counts, Kind, Message, Role, ToolUse

MOST_TEXT = 200_000  # characters of one text; the rest is dropped
_MOST_OPEN_CALLS = 100
Noted = Callable[[Message], object]


def ignore_message(message: Message) -> None:
    """Note nothing: a `Noted` for those who wait for all messages."""


class Stretch:
    """Reads line after line; holds what a record needs from earlier ones, between two stretches in `memory`.

    A subclass defines `read_record`, which calls `add` for each message in the record and `skip` if
    there is none, and names in `remembered` those of its attributes (plain JSON) that the next stretch needs.
    """

    remembered: ClassVar[tuple[str, ...]] = ()

    def __init__(self, memory: dict[str, Any]) -> None:
        self.messages: list[Message] = []
        self.counts = Counts()
        self.noted: Noted = ignore_message
        self.start = self.end = 0  # the byte range of the current line
        self._index: int = memory.get("index", 0)
        calls = map(ToolUse.from_dict, memory.get("open_calls", []))
        self._open = {call.id: call for call in calls}
        for name in self.remembered:
            if name in memory:
                setattr(self, name, memory[name])

    def memory(self) -> dict[str, Any]:
        """Return the memory for the stretch that follows."""
        calls = [use.to_dict() for use in list(self._open.values())[-_MOST_OPEN_CALLS:]]
        return {"index": self._index, "open_calls": calls} | {name: getattr(self, name) for name in self.remembered}

    def read_line(self, content: bytes | None, start: int, end: int) -> None:
        """Read the line at the bytes `start` to `end`; its content is None if it was too long."""
        self.start, self.end = start, end
        if content is None:
            self.counts.long_lines += 1
            return
        records, whole = self.records_of(content)
        if not whole:
            self.counts.bad_lines += 1
            self.counts.recovered += len(records)
        for record in records:
            self.read_record(record)

    def records_of(self, content: bytes) -> tuple[list[dict[str, Any]], bool]:
        """Return the records on a line, with what `read_record` needs of them, and whether nothing was lost."""
        return records_of(content)

    def read_record(self, record: dict[str, Any]) -> None:
        """Read the next record; its fields may have any type."""
        raise NotImplementedError

    def add(self, role: Role, kind: Kind, *fields: Any, **named: Any) -> None:
        """Add a message; `fields` are those after its kind, in their order."""
        self._index += 1
        message = Message(self._index, role, kind, *fields, **named)
        message.start, message.end = self.start, self.end
        self.messages.append(message)
        self.noted(message)

    def skip(self, kind: object) -> None:
        """Count a record of the type `kind` that holds no message."""
        self.counts.add_unknown(str(kind))

    def add_calls(self, *uses: ToolUse) -> tuple[ToolUse, ...]:
        """Record that `uses` wait for their results, and return them."""
        for use in uses:
            if use.id:
                self._open[use.id] = use
        return uses

    def use_for(self, call: str) -> ToolUse | None:
        """Return the call with this id and stop waiting for its result; None if it is unknown."""
        return self._open.pop(call, None)


def text_of(value: object) -> str:
    """Return `value` if it is a text, else "" (the records of a line are clean already)."""
    return value[:MOST_TEXT] if isinstance(value, str) else ""


def dicts_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in the list `value`; none if it is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_in(content: object) -> str:
    """Return the text of a tool's output or a message: a string, or a list of blocks with a `text` each."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
