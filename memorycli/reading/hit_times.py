"""When the hits of a search are from, as precisely as it takes to tell which is newer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_DAY, _MINUTE = len("2026-01-15"), len("2026-01-15T14:05")


def of(hits: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Return for each of the API's `hits` its date, in UTC, with the time where another hit has the same date."""
    days = Counter(hit["created_at"][:_DAY] for hit in hits)
    return [_time(hit["created_at"], alone=days[hit["created_at"][:_DAY]] == 1) for hit in hits]


def _time(created_at: str, *, alone: bool) -> str:
    return created_at[:_DAY] if alone else created_at[:_MINUTE].replace("T", " ")
