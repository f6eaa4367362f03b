"""Conditions of a statement on rows that were read before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Guard:
    """A condition in SQL, with its parameters, that holds as long as certain rows are as they were read."""

    condition: str
    parameters: Mapping[str, Any]

    def __and__(self, other: Guard) -> Guard:
        """Return the guard that holds where both do; their parameters must have different names."""
        return Guard(f"{self.condition} AND {other.condition}", {**self.parameters, **other.parameters})
