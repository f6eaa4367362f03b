"""Points in time as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}


def moment(text: str, now: datetime) -> datetime:
    """`2026-11-20`, `2026-11-20T14:30` (UTC unless it has a zone), or how long before `now`: `12h`, `7d`, `2w`, `1y`.

    A month, `1m`, is 30 days. ValueError, saying which forms there are, for anything else.
    """
    word = text.strip().lower()
    try:
        if ago := _AGO.fullmatch(word):
            return now - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        found = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise ValueError(
            "give a date such as 2026-11-20, a time such as 2026-11-20T14:30, or an age such as 7d"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
