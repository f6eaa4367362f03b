"""A learning, and its types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PATTERN_TYPES = (
    "decision",
    "solution",
    "outcome",
    "handoff",
    "checkpoint",
    "refactoring",
    "error_recovery",
    "optimization",
    "learning",
    "breakthrough",
    "test",
    "security",
)
ADDED_TYPES = ("correction", "preference", "convention", "command", "gotcha")
LEARNING_TYPES = PATTERN_TYPES + ADDED_TYPES

SHORTEST_CONTENT = 16  # "use pnpm, not npm"
LONGEST_CONTENT = 600


@dataclass(frozen=True, slots=True)
class Learning:
    """A statement worth knowing from a message; `content` can be understood without the message.

    `confidence` is from 0 to 1, and `reasons` explain its value. `files` and `tools` are those involved.
    `time` is when the message was written, "" if the transcript does not say. `source` is "stated" for what was said
    and "observed" for what happened: the outcomes of commands, and calls that a person refused or stopped.
    `quote` are the lines of the message around it, "" if there are none.
    """

    type: str
    content: str
    confidence: float
    source_message_index: int
    source_message_uuid: str = ""
    reasons: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    time: str = ""
    source: str = "stated"
    quote: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the learning as a JSON object of a queue file; `time` and `quote` are left out if empty."""
        fields: dict[str, Any] = {
            "type": self.type,
            "content": self.content,
            "confidence": self.confidence,
            "source_message_index": self.source_message_index,
            "source_message_uuid": self.source_message_uuid,
            "reasons": list(self.reasons),
            "files": list(self.files),
            "tools": list(self.tools),
            "source": self.source,
        }
        optional = {"time": self.time, "quote": self.quote}
        return fields | {name: value for name, value in optional.items() if value}
