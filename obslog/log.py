"""Appending to the log and asking it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.db import connection

from memoryserver.accounts.models import User
from obslog import cursor as cursors
from obslog import query
from obslog.cursor import Cursor, Order
from obslog.errors import InvalidObservationError, InvalidQueryError, TakenError
from obslog.incoming import NewObservation, Row, check
from obslog.models import Observation
from obslog.query import Filter

MAX_BATCH = 500
MAX_LIMIT = 1_000
MAX_OFFSET = 10_000_000
QUERY_LIMIT = 50
RECENT_LIMIT = 100

_EVERYTHING = Filter()
_CursorAfter = Callable[[Sequence[Observation], bool], Cursor]

_APPEND = """
WITH added AS (
    INSERT INTO obslog_observation (id, user_id, type, source, message, details, data, created_at)
    SELECT id, %s, type, source, message, details, data::jsonb, created_at
    FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[])
        AS new (id, type, source, message, details, data, created_at)
    ON CONFLICT (id) DO NOTHING
    RETURNING id
), related AS (
    INSERT INTO obslog_scope (observation_id, scope_id, user_id)
    SELECT id, scope_id, %s FROM unnest(%s::uuid[], %s::text[]) AS about (id, scope_id) JOIN added USING (id)
)
SELECT id FROM added
"""


@dataclass(frozen=True)
class Receipt:
    """What became of one observation: stored, unchanged (it was there already) or refused, with the reason."""

    id: uuid.UUID | None
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


@dataclass(frozen=True)
class Page:
    """An answer of the log. `picked` in the order in which they were chosen, so that a cut takes the last ones.

    `more`: asking again with `cursor` gives more at once; never so where the answer does not go on (`open`).
    """

    picked: Sequence[Observation]
    order: Order
    more: bool
    _cursor: _CursorAfter
    open: bool = True

    @property
    def observations(self) -> list[Observation]:
        """In `order` of their time, their scope ids loaded."""
        return sorted(self.picked, key=lambda row: row.id, reverse=self.order == "desc")

    @property
    def cursor(self) -> str:
        """Ask with this for what this answer does not have yet."""
        return str(self._cursor(self.picked, self.more))

    def first(self, count: int) -> Page:
        """The same with the first `count` picked alone."""
        if count >= len(self.picked):
            return self
        return replace(self, picked=self.picked[:count], more=self.open)


def append(user: User | None, new: NewObservation) -> Receipt:
    """Append `new` for `user`; unchanged if one of its id is there already, so that sending again does no harm.

    Raises InvalidObservationError; TakenError, one of these, if the id is somebody else's.
    """
    (receipt,) = _store(user, [check(new)])
    if receipt.status == "refused":
        raise TakenError(receipt.reason)
    return receipt


def append_all(user: User | None, batch: Sequence[NewObservation]) -> list[Receipt]:
    """Append those of `batch`, at most MAX_BATCH, that are valid, in one round trip; what became of each, in order.

    All that are valid are stored or, if the database fails, none. Raises InvalidObservationError for a batch
    that is too large.
    """
    if len(batch) > MAX_BATCH:
        raise InvalidObservationError(f"a batch has at most {MAX_BATCH} observations")
    receipts: list[Receipt | None] = []
    rows = []
    for position, new in enumerate(batch):
        try:
            rows.append(check(new, position))
            receipts.append(None)
        except InvalidObservationError as error:
            receipts.append(Receipt(new.id, "refused", str(error)))
    stored = iter(_store(user, rows))
    return [receipt or next(stored) for receipt in receipts]


def find_many(
    user: User,
    wanted: Filter = _EVERYTHING,
    *,
    limit: int = QUERY_LIMIT,
    offset: int = 0,
    order: Order = "asc",
    cursor: str | None = None,
) -> Page:
    """The observations of `user` that match, `limit` (1 to 1000) of them from `offset` on, oldest first.

    With `order` "desc" newest first. With the `cursor` of an earlier answer to the same question: what that
    answer, and those before it, did not have, be it that there was more than `limit` or that it came since.
    Raises InvalidQueryError.
    """
    _check_limits(limit, offset)
    if cursor is None:
        return _first_page(user, wanted, limit, offset, order)
    given = cursors.parse(cursor)
    if offset:
        raise InvalidQueryError("a cursor says where to go on; leave offset out")
    if given.after is None:
        return _arrived_since(user, wanted, given, limit, order)
    if given.order != order:
        raise InvalidQueryError(f"this cursor goes on with order {given.order!r}; ask with the same")
    return _next_page(user, wanted, given, given.after, limit)


def find_recent(user: User, wanted: Filter = _EVERYTHING, *, limit: int = RECENT_LIMIT, order: Order = "asc") -> Page:
    """The newest `limit` (1 to 1000) observations of `user` that match; themselves oldest first, unless `order` is
    "desc". The cursor is for `find_many` and gives what comes after. Raises InvalidQueryError.
    """
    _check_limits(limit, 0)
    low = cursors.settled(user) or 0
    rows = query.rows_of(query.find_ids(user, wanted, order="desc", offset=0, limit=limit))
    after = Cursor().given([row.arrival for row in rows], low)
    return Page(rows, order, False, _always(after), open=False)


def _first_page(user: User, wanted: Filter, limit: int, offset: int, order: Order) -> Page:
    low = cursors.settled(user) or 0
    ids = query.find_ids(user, wanted, order=order, offset=offset, limit=limit + 1)

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        if more and not picked:
            return Cursor()
        given = Cursor().given([row.arrival for row in picked], low)
        return replace(given, after=picked[-1].id, order=order) if more else given

    return Page(query.rows_of(ids[:limit]), order, len(ids) > limit, cursor)


def _next_page(user: User, wanted: Filter, given: Cursor, after: uuid.UUID, limit: int) -> Page:
    reached, last, dropped = after, False, False
    rows: list[Observation] = []
    while not rows and not last:
        ids = query.find_ids(user, wanted, order=given.order, offset=0, limit=limit + 1, after=reached)
        found = query.rows_of(ids[:limit])
        rows = [row for row in found if row.arrival <= given.low]  # what arrived meanwhile comes behind the pages
        last, dropped = len(ids) <= limit, dropped or len(rows) < len(found)
        reached = ids[:limit][-1] if ids else reached
    if not rows:
        return _arrived_since(user, wanted, replace(given, after=None), limit, given.order)

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        if len(picked) < len(rows):
            return replace(given, after=picked[-1].id if picked else after)
        return replace(given, after=None if last else reached)

    return Page(rows, given.order, not last or dropped, cursor)


def _arrived_since(user: User, wanted: Filter, given: Cursor, limit: int, order: Order) -> Page:
    low = cursors.settled(user, given.low)
    if low is None:
        return Page([], order, False, _always(given))
    found = query.find_arrived(user, wanted, given, limit + 1)
    room = given.room([row.arrival for row in found[:limit]], low)
    rows = found[:limit][:room]

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        reached = min(low, picked[-1].arrival if picked else given.low) if more else low
        return given.given([row.arrival for row in picked], reached)

    return Page(rows, order, len(found) > limit == len(rows), cursor)


def _always(cursor: Cursor) -> _CursorAfter:
    def after(picked: Sequence[Observation], more: bool) -> Cursor:
        return cursor

    return after


def _store(user: User | None, rows: Sequence[Row]) -> list[Receipt]:
    """In one statement. Sorted by id, so that two who send the same at once do not wait for each other in a ring."""
    if not rows:
        return []
    unique = sorted({row.id: row for row in reversed(rows)}.values())
    about = [(row.id, scope_id) for row in unique for scope_id in row.scope_ids]
    owner = None if user is None else user.pk
    columns = [list(column) for column in zip(*(row[:7] for row in unique), strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [owner, *columns, owner, [id_ for id_, _ in about], [scope for _, scope in about]])
        added = {id_ for (id_,) in cursor.fetchall()}
    known = [row.id for row in unique if row.id not in added]
    owners: dict[uuid.UUID, int | None] = {}
    if known:
        owners.update(Observation.objects.filter(pk__in=known).values_list("pk", "user_id"))
    receipts = []
    for row in rows:
        if row.id in added:
            added.discard(row.id)  # the same id again in this batch changes nothing
            owners[row.id] = owner
            receipts.append(Receipt(row.id, "stored"))
        elif owners[row.id] == owner:
            receipts.append(Receipt(row.id, "unchanged"))
        else:
            receipts.append(Receipt(row.id, "refused", "an observation of somebody else has this id; make another one"))
    return receipts


def _check_limits(limit: int, offset: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidQueryError(f"limit must be from 1 to {MAX_LIMIT}")
    if not 0 <= offset <= MAX_OFFSET:
        raise InvalidQueryError(f"offset must be from 0 to {MAX_OFFSET}; to go on from an answer use its cursor")
