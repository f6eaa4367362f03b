"""What is read of one thing: the whole of it, with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Document:
    """One thing whole: its text, whose and of when it is, and `details`, all that is known of where it comes from.

    `title` is a line that stands for it. `threads` are the ids of what it happened in, such as its session or
    transcript, and `project_id` its project's row: two things with one of these in common are of the same story.
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
        """By which it is asked for."""
        return f"{self.source}/{self.key}"

    @property
    def size(self) -> int:
        """Characters of its text."""
        return len(self.text)
