"""The time zone in which a person sees times and days on the server's pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from memoryserver.accounts.models import User

_REGIONS = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)


@cache
def names() -> Sequence[str]:
    """Return the names that may be chosen: UTC and those of places, without abbreviations and names of states."""
    return ("UTC", *sorted(name for name in available_timezones() if name.partition("/")[0] in _REGIONS))


def zone_of(user: User) -> tzinfo:
    """Return the chosen zone; UTC if there is none, or if this machine does not know it."""
    try:
        return ZoneInfo(user.time_zone) if user.time_zone else UTC
    except (ZoneInfoNotFoundError, ValueError):  # ValueError: a row that was not written by the profile page
        return UTC
