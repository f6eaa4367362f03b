"""A learning, and the types there are."""

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

SHORTEST_CONTENT = 20
LONGEST_CONTENT = 600


@dataclass(frozen=True, slots=True)
class Learning:
    """Something worth knowing that a message says or shows; `content` can be understood without it.

    `confidence` is from 0 to 1, `reasons` say why it is what it is. `files` and `tools` were involved.
    `time` is when the message was written, as far as the transcript tells; it stays on the laptop.
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

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a queue file."""
        return {
            "type": self.type,
            "content": self.content,
            "confidence": self.confidence,
            "source_message_index": self.source_message_index,
            "source_message_uuid": self.source_message_uuid,
            "reasons": list(self.reasons),
            "files": list(self.files),
            "tools": list(self.tools),
        }
