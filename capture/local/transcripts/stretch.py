"""Turns the records of a JSONL transcript into messages, one stretch of the file after the other."""

from __future__ import annotations

from typing import Any, ClassVar

from capture.local.transcripts.lines import records_of
from capture.local.transcripts.messages import Counts, Kind, Message, Role, ToolUse

MOST_TEXT = 200_000  # characters of one text that are kept
_MOST_OPEN_CALLS = 100


class Stretch:
    """Takes line after line; what a record must know of those before it is here, and in `memory` between two stretches.

    A subclass gives `take_record`, which calls `add` for each message in the record and `pass_over` where
    there is none, and names in `kept` those of its attributes (plain JSON) that the next stretch needs.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    def __init__(self, memory: dict[str, Any]) -> None:
        self.messages: list[Message] = []
        self.counts = Counts()
        self.start = self.end = 0  # the byte range of the line in hand
        self._index: int = memory.get("index", 0)
        calls = map(ToolUse.from_dict, memory.get("open_calls", []))
        self._open = {call.id: call for call in calls}
        for name in self.kept:
            if name in memory:
                setattr(self, name, memory[name])

    def memory(self) -> dict[str, Any]:
        """For the stretch that follows."""
        calls = [use.to_dict() for use in list(self._open.values())[-_MOST_OPEN_CALLS:]]
        return {"index": self._index, "open_calls": calls} | {name: getattr(self, name) for name in self.kept}

    def take(self, content: bytes | None, start: int, end: int) -> None:
        """The line at the bytes `start` to `end`; None stands for one that was too long to be held."""
        self.start, self.end = start, end
        if content is None:
            self.counts.long_lines += 1
            return
        records, whole = records_of(content)
        if not whole:
            self.counts.bad_lines += 1
            self.counts.recovered += len(records)
        for record in records:
            self.take_record(record)

    def take_record(self, record: dict[str, Any]) -> None:
        """The next record; no field of it is relied on to have its shape."""
        raise NotImplementedError

    def add(self, role: Role, kind: Kind, *fields: Any, **named: Any) -> None:
        """One more message; `fields` are those after its kind, in their order."""
        self._index += 1
        message = Message(self._index, role, kind, *fields, **named)
        message.start, message.end = self.start, self.end
        self.messages.append(message)

    def pass_over(self, kind: object) -> None:
        """A record of the type `kind` holds no message."""
        self.counts.add_unknown(str(kind))

    def called(self, *uses: ToolUse) -> tuple[ToolUse, ...]:
        """Note that `uses` wait for their results."""
        for use in uses:
            if use.id:
                self._open[use.id] = use
        return uses

    def use_for(self, call: str) -> ToolUse | None:
        """The call with this id, which has now come back."""
        return self._open.pop(call, None)


def text_of(value: object) -> str:
    """`value` where it is a text, else "" (the records of a line are clean already)."""
    return value[:MOST_TEXT] if isinstance(value, str) else ""


def dicts_of(value: object) -> list[dict[str, Any]]:
    """The objects in the list `value`; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_in(content: object) -> str:
    """The text in what a tool gave back or somebody said: a string, or a list of blocks with a `text` each."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
