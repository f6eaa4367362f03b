"""Times as the file and wire formats write them: aware, UTC, ISO 8601 with a final `Z`.

`datetime` is imported when it is first needed: a tool call that no observer looks at only writes down the time.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

SESSION_SILENCE = 30 * 60
"""Seconds without a call or message after which a session counts as over, whatever part of the system asks."""


def now() -> datetime:
    """Return the present moment, aware, in UTC."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


def now_as_text() -> str:
    """Return the present moment as `to_text` writes it, always with microseconds."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{microseconds:06}Z"


def to_text(moment: datetime) -> str:
    """Return `moment` as ISO 8601 in UTC ending in `Z`; fractions of a second only where there are any.

    Raises ValueError for a naive datetime: guessing its zone would be wrong half of the time.
    """
    from datetime import UTC

    if moment.tzinfo is None:
        raise ValueError(f"a time needs its zone, this one has none: {moment.isoformat()}")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """Return the aware UTC datetime in `text`; raises ValueError where it is not a time or has no zone.

    A time whose zone moves it out of the years 1 to 9999 in UTC is not one.
    """
    from datetime import UTC, datetime

    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a time needs its zone, this one has none: {text!r}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"a time must be within the years 1 to 9999 in UTC: {text!r}") from None
