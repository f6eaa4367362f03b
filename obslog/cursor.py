"""Cursors for following the log without gaps and repeats, in whatever order appends commit.

Each observation gets an `arrival` from a sequence as it is inserted, but becomes visible only when its
transaction commits: 7 may be visible before 6. Ids do not help either, since clients create them and may be offline for
a week. "Everything after the last one I saw" would thus miss late commits. So a transaction that appends holds, from
before its first arrival to its end, a shared advisory lock on the last arrival issued before (a trigger does that). The
lowest of these locks, or else the last arrival issued, is the horizon: everything up to it has been committed or rolled
back, and nothing will appear before it any more. Postgres' own transaction ids are not used: they restart when a dump
is restored, and any long transaction on the same server delays them.

A cursor consists of such a horizon, `low`, and the arrivals beyond it that were already returned, `seen`, since readers
do not wait for others' transactions. The next response has what is beyond `low` and not in `seen`. A first response
with further pages is paged by id, with `after` the last id returned; what arrives beyond `low` meanwhile follows the
last page.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.errors import InvalidInputError

Order = Literal["asc", "desc"]

MAX_SEEN = 1_000
"""Maximum number of seen arrivals; then a reader waits for the horizon, since a cursor must fit into a URL."""

_TEXT = re.compile(
    r"(?P<low>\d{1,15})(?P<seen>(?:-\d{1,15}){0,1000})(?:\.(?P<order>asc|desc)\.(?P<after>[0-9a-f]{32}))?",
    re.ASCII,
)
_SETTLED = """
SELECT CASE WHEN max(arrival) IS NOT NULL THEN least(max(arrival), obslog_horizon()) END
FROM obslog_observation WHERE user_id = %s AND arrival > %s
"""


@dataclass(frozen=True)
class Cursor:
    """The position of a reader: it has all arrivals up to `low`, and those beyond it in `seen`, in ascending order.

    With `after` the arrivals up to `low` are still being paged in `order`, and that id was the last one returned.
    """

    low: int = 0
    seen: tuple[int, ...] = ()
    after: uuid.UUID | None = None
    order: Order = "asc"

    def __str__(self) -> str:
        steps = [here - before for before, here in zip((self.low, *self.seen), self.seen, strict=False)]
        paging = f".{self.order}.{self.after.hex}" if self.after else ""
        return "-".join(map(str, [self.low, *steps])) + paging

    def advanced(self, arrivals: Iterable[int], low: int) -> Cursor:
        """Return the cursor after `arrivals` and everything up to `low` were returned; paging is finished."""
        low = max(low, self.low)
        return Cursor(low, tuple(sorted({arrival for arrival in (*self.seen, *arrivals) if arrival > low})))

    def room(self, arrivals: Sequence[int], low: int) -> int:
        """Return how many of the ascending `arrivals` can be returned so that the cursor stays short enough."""
        low = max(low, self.low)
        beyond = sum(arrival > low for arrival in (*self.seen, *arrivals))
        return max(len(arrivals) - max(beyond - MAX_SEEN, 0), 0)


def parse(text: str) -> Cursor:
    """Parse the text form of a cursor. Raises InvalidInputError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise InvalidInputError("cursor is invalid; use the one of the previous response, or none to begin")
    low, *seen = accumulate(int(number) for number in (match["low"] + match["seen"]).split("-"))
    after = uuid.UUID(match["after"]) if match["after"] else None
    return Cursor(low, tuple(seen), after, "desc" if match["order"] == "desc" else "asc")


def settled(user: User, low: int = 0) -> int | None:
    """Return the arrival up to which no more rows of `user` can appear; None if there is none beyond `low`.

    Call this before querying rows, never after. It is at most the last committed arrival: one that was only issued may
    be issued again after a crash.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, [user.pk, low])
        (arrival,) = cursor.fetchone()
    return arrival if arrival is None else max(int(arrival), low)
