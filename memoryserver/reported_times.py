"""Times that other machines report, whose clocks may be wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

EARLIEST_CREDIBLE = datetime(2020, 1, 1, tzinfo=UTC)
"""No record of a coding agent is older; an earlier time comes from a clock that was never set."""


def _to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be within the years 1 to 9999 in UTC") from None


UtcDatetime = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""A time of a request, in UTC. One that a database cannot store, for its zone, is refused."""


def credible(reported: datetime, received: datetime) -> datetime:
    """Return `reported`, or `received` where it cannot be right.

    A time after `received` would make a record the newest for as long as its clock was ahead, and one before
    EARLIEST_CREDIBLE would hide it. A late delivery is not a reason to doubt a time.
    """
    return reported if EARLIEST_CREDIBLE <= reported <= received else received
