"""The full text of an entry, learning or observation, with its provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Document:
    """One entry, learning or observation with its full text; `details` holds everything known of its provenance.

    `threads` are ids of its context, such as its session or transcript, and `project_id` is its project's primary key.
    Documents that share one of these belong to the same timeline.
    """

    source: str
    key: str
    kind: str
    title: str
    text: str
    user: str
    project: str | None
    created_at: datetime
    details: Mapping[str, Any]
    project_id: int | None = None
    threads: frozenset[str] = field(default_factory=frozenset)

    @property
    def id(self) -> str:
        """The id used by the API: SOURCE/KEY."""
        return f"{self.source}/{self.key}"

    @property
    def size(self) -> int:
        """Length of the text in characters."""
        return len(self.text)
