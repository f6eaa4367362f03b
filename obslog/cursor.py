"""How a reader asks for what came since: without a gap, without a repeat, in whatever order appends commit.

Each observation gets an `arrival` from a sequence as it is inserted, but becomes visible only when its
transaction commits: 7 may be there before 6, and ids, made on laptops that may be offline for a week, say even
less. "Everything after the last one I saw" would thus lose what commits late. So a transaction that appends
holds, from before its first arrival to its end, a shared advisory lock with the last arrival given out before
(a trigger does that, for whoever inserts). The lowest of these locks, or else the last arrival given out, is the
horizon: all up to it has been committed or given up, and nothing will ever come up before it any more. A sequence
and locks of this database, and not Postgres' own transaction numbers: those begin anew when a dump is restored,
and are held up by any long transaction on the same server.

A cursor is such a horizon, `low`, and what was given from beyond it, `seen`, since a reader is not made to wait for
others' transactions. The next answer is what lies beyond `low` and is not in `seen`. A first answer that had more
to give is paged by id, with `after` the last id given; what arrives beyond `low` meanwhile comes when the pages
are through.
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
from obslog.errors import InvalidQueryError

Order = Literal["asc", "desc"]

MAX_SEEN = 1_000
"""Beyond so many a reader waits until the horizon has moved; a cursor must fit into an address."""

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
    """What a reader has been given: all arrivals up to `low`, of those beyond it `seen`, in ascending order.

    With `after` the arrivals up to `low` are still being paged in `order`, and that id was given last.
    """

    low: int = 0
    seen: tuple[int, ...] = ()
    after: uuid.UUID | None = None
    order: Order = "asc"

    def __str__(self) -> str:
        steps = [here - before for before, here in zip((self.low, *self.seen), self.seen, strict=False)]
        paging = f".{self.order}.{self.after.hex}" if self.after else ""
        return "-".join(map(str, [self.low, *steps])) + paging

    def given(self, arrivals: Iterable[int], low: int) -> Cursor:
        """This one after `arrivals` were given too and all up to `low`; no page is open any more."""
        low = max(low, self.low)
        return Cursor(low, tuple(sorted({arrival for arrival in (*self.seen, *arrivals) if arrival > low})))

    def room(self, arrivals: Sequence[int], low: int) -> int:
        """How many of `arrivals`, which ascend, can be given so that the cursor stays short enough: the first ones."""
        low = max(low, self.low)
        beyond = sum(arrival > low for arrival in (*self.seen, *arrivals))
        return max(len(arrivals) - max(beyond - MAX_SEEN, 0), 0)


def parse(text: str) -> Cursor:
    """The cursor that `str` gave as `text`. Raises InvalidQueryError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise InvalidQueryError("cursor is none of the log's; give the one of the last answer, or none to begin")
    low, *seen = accumulate(int(number) for number in (match["low"] + match["seen"]).split("-"))
    after = uuid.UUID(match["after"]) if match["after"] else None
    return Cursor(low, tuple(seen), after, "desc" if match["order"] == "desc" else "asc")


def settled(user: User, low: int = 0) -> int | None:
    """The arrival up to which nothing of `user`'s can come up any more; None if nothing has come beyond `low`.

    Ask this before the rows, never after. It never says more than an arrival that was committed: one that was
    only given out may be given out again after a crash.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, [user.pk, low])
        (answer,) = cursor.fetchone()
    return answer if answer is None else max(int(answer), low)
