"""Times as the file and wire formats write them: aware, UTC, ISO 8601 with a final `Z`."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


def now_as_text() -> str:
    """Return `to_text(now())`, to the microsecond."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{microseconds:06}Z"


def to_text(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC ending in `Z`; fractions of a second only where there are any.

    Raises ValueError for a naive datetime: guessing its zone would be wrong half of the time.
    """
    if moment.tzinfo is None:
        raise ValueError(f"a time needs its zone, this one has none: {moment.isoformat()}")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """The aware UTC datetime that `text` names; raises ValueError where it is none or has no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a time needs its zone, this one has none: {text!r}")
    return moment.astimezone(UTC)
