"""Parsing of dates, times and ages as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from django.utils import timezone

_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}


def parse_date(text: str, now: datetime) -> datetime:
    """Parse `2026-11-20`, `2026-11-20T14:30`, or an age before `now`: `12h`, `7d`, `2w`, `3m`, `1y`.

    Without an offset it is a time of the present zone: that of the person on pages, else UTC. A month, `1m`, is 30
    days. Raises ValueError, naming the valid formats, for anything else.
    """
    age = text.strip().lower()
    try:
        if match := _AGO.fullmatch(age):
            return now - timedelta(days=int(match[1]) * _DAYS[match[2]])
        parsed = datetime.fromisoformat(text.strip())
        # In UTC, since Postgres rejects some offsets, and a time may leave the calendar by its offset.
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.get_current_timezone())
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            "give a date such as 2026-11-20, a time such as 2026-11-20T14:30, or an age such as 7d"
        ) from None
