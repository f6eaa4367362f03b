"""Appending to the log and querying it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.db import connection, transaction

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of
from memoryserver.errors import InvalidInputError
from obslog import cursor as cursors
from obslog import query
from obslog.cursor import Cursor, Order
from obslog.errors import IdTakenError, InvalidObservationError
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
    INSERT INTO obslog_observation (id, user_id, type, source, message, details, data, created_at, reported_id)
    SELECT id, %s, type, source, message, details, data::jsonb, created_at, reported_id
    FROM unnest(
        %s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::uuid[]
    ) AS new (id, type, source, message, details, data, created_at, reported_id)
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
    """The result for one observation: stored, unchanged (it existed already) or refused, with the reason.

    `id` is the one that it was sent with, else the one that it got.
    """

    id: uuid.UUID | None
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


@dataclass(frozen=True)
class Page:
    """A page of results. `picked` is in the order of selection, so that cutting removes the last ones.

    `more` is true if a query with `cursor` returns more immediately; always false unless the page is `open`.
    """

    picked: Sequence[Observation]
    order: Order
    more: bool
    _cursor: _CursorAfter
    open: bool = True

    @property
    def observations(self) -> list[Observation]:
        """The observations in `order` of their time, with their scope ids loaded."""
        return sorted(self.picked, key=lambda row: row.id, reverse=self.order == "desc")

    @property
    def cursor(self) -> str:
        """The cursor for what follows this page."""
        return str(self._cursor(self.picked, self.more))

    def first(self, count: int) -> Page:
        """Return the page with only the first `count` picked observations."""
        if count >= len(self.picked):
            return self
        return replace(self, picked=self.picked[:count], more=self.open)


def append(user: User | None, new: NewObservation) -> Receipt:
    """Append `new` for `user`; unchanged if its id is already stored, so that sending it again is safe.

    Raises InvalidObservationError, or its subclass IdTakenError if the id belongs to another user.
    """
    (receipt,) = _store(user, [check(new)])
    if receipt.status == "refused":
        raise IdTakenError(receipt.reason)
    return receipt


def append_all(user: User | None, batch: Sequence[NewObservation]) -> list[Receipt]:
    """Append the valid observations of `batch` (at most MAX_BATCH) in one query; return the result for each, in order.

    If the database fails, none is stored. Raises InvalidObservationError for a batch that is too large.
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
    receipts_of_valid = iter(_store(user, rows))
    return [receipt or next(receipts_of_valid) for receipt in receipts]


def find_many(
    user: User,
    filters: Filter = _EVERYTHING,
    *,
    limit: int = QUERY_LIMIT,
    offset: int = 0,
    order: Order = "asc",
    cursor: str | None = None,
) -> Page:
    """Return `limit` (1 to 1000) matching observations of `user` from `offset` on, oldest first.

    With `order` "desc", newest first. With the `cursor` of a previous page of the same query: the observations that the
    previous pages did not have, because of their `limit` or because they arrived later. Raises InvalidInputError.
    """
    _check_limits(limit, offset)
    if cursor is None:
        return _first_page(user, filters, limit, offset, order)
    position = cursors.parse(cursor)
    if offset:
        raise InvalidInputError("a cursor includes the position; omit offset")
    if position.after is None:
        return _arrived_since(user, filters, position, limit, order)
    if position.order != order:
        raise InvalidInputError(f"this cursor requires order {position.order!r}")
    return _next_page(user, filters, position, position.after, limit)


def find_recent(user: User, filters: Filter = _EVERYTHING, *, limit: int = RECENT_LIMIT, order: Order = "asc") -> Page:
    """Return the newest `limit` (1 to 1000) matching observations of `user`, oldest first unless `order` is "desc".

    The cursor is for `find_many` and returns what arrives later. Raises InvalidInputError.
    """
    _check_limits(limit, 0)
    low = cursors.settled(user) or 0
    rows = query.rows_of(query.find_ids(user, filters, order="desc", offset=0, limit=limit))
    after = Cursor().advanced([row.arrival for row in rows], low)
    return Page(rows, order, False, _always(after), open=False)


def _first_page(user: User, filters: Filter, limit: int, offset: int, order: Order) -> Page:
    low = cursors.settled(user) or 0
    ids = query.find_ids(user, filters, order=order, offset=offset, limit=limit + 1)

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        if more and not picked:
            return Cursor()
        position = Cursor().advanced([row.arrival for row in picked], low)
        return replace(position, after=picked[-1].id, order=order) if more else position

    return Page(query.rows_of(ids[:limit]), order, len(ids) > limit, cursor)


def _next_page(user: User, filters: Filter, position: Cursor, after: uuid.UUID, limit: int) -> Page:
    reached, last, dropped = after, False, False
    rows: list[Observation] = []
    while not rows and not last:
        ids = query.find_ids(user, filters, order=position.order, offset=0, limit=limit + 1, after=reached)
        candidates = query.rows_of(ids[:limit])
        rows = [row for row in candidates if row.arrival <= position.low]  # later arrivals follow the last page
        last, dropped = len(ids) <= limit, dropped or len(rows) < len(candidates)
        reached = ids[:limit][-1] if ids else reached
    if not rows:
        return _arrived_since(user, filters, replace(position, after=None), limit, position.order)

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        if len(picked) < len(rows):
            return replace(position, after=picked[-1].id if picked else after)
        return replace(position, after=None if last else reached)

    return Page(rows, position.order, not last or dropped, cursor)


def _arrived_since(user: User, filters: Filter, position: Cursor, limit: int, order: Order) -> Page:
    low = cursors.settled(user, position.low)
    if low is None:
        return Page([], order, False, _always(position))
    arrived = query.find_arrived(user, filters, position, limit + 1)
    room = position.room([row.arrival for row in arrived[:limit]], low)
    rows = arrived[:limit][:room]

    def cursor(picked: Sequence[Observation], more: bool) -> Cursor:
        reached = min(low, picked[-1].arrival if picked else position.low) if more else low
        return position.advanced([row.arrival for row in picked], reached)

    return Page(rows, order, len(arrived) > limit == len(rows), cursor)


def _always(cursor: Cursor) -> _CursorAfter:
    def after(picked: Sequence[Observation], more: bool) -> Cursor:
        return cursor

    return after


def _store(user: User | None, rows: Sequence[Row]) -> list[Receipt]:
    if any(row.sent_id and row.reported_id for row in rows):
        with transaction.atomic():
            _lock_wrong_clocks(user)
            return _insert(user, _with_known_ids(user, rows))
    return _insert(user, _with_known_ids(user, rows))


def _lock_wrong_clocks(user: User | None) -> None:
    """Lock `user`'s observations of a wrong clock: the same new one may be sent twice at once, and gets an id here."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('observations of a wrong clock of ' || %s, 0))",
            [str(user and user.pk)],
        )


def _with_known_ids(user: User | None, rows: Sequence[Row]) -> list[Row]:
    """Return `rows` with the stored id for those that were stored under another id than they are sent with."""
    sent = [row.sent_id for row in rows if row.sent_id]
    if not sent:
        return list(rows)
    known = dict(Observation.objects.filter(user=user, reported_id__in=sent).values_list("reported_id", "pk"))
    known_rows = []
    for row in rows:
        if row.sent_id and row.reported_id:
            known.setdefault(row.sent_id, row.id)  # for one that is repeated in this batch
        identifier = known.get(row.sent_id, row.id)
        known_rows.append(row._replace(id=identifier, created_at=milliseconds_of(identifier)))
    return known_rows


def _insert(user: User | None, rows: Sequence[Row]) -> list[Receipt]:
    """Insert `rows` in one statement, sorted by id, so that concurrent inserts of the same ids do not deadlock."""
    if not rows:
        return []
    unique = sorted({row.id: row for row in reversed(rows)}.values())
    about = [(row.id, scope_id) for row in unique for scope_id in row.scope_ids]
    owner = None if user is None else user.pk
    columns = [list(column) for column in zip(*(row[: len(Row.columns())] for row in unique), strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [owner, *columns, owner, [id_ for id_, _ in about], [scope for _, scope in about]])
        added = {id_ for (id_,) in cursor.fetchall()}
    existing = [row.id for row in unique if row.id not in added]
    owners: dict[uuid.UUID, int | None] = {}
    if existing:
        owners.update(Observation.objects.filter(pk__in=existing).values_list("pk", "user_id"))
    receipts = []
    for row in rows:
        if row.id in added:
            added.discard(row.id)  # a repeated id in this batch is unchanged
            owners[row.id] = owner
            receipts.append(Receipt(row.sent_id or row.id, "stored"))
        elif owners[row.id] == owner:
            receipts.append(Receipt(row.sent_id or row.id, "unchanged"))
        else:
            receipts.append(Receipt(row.sent_id, "refused", "another user's observation has this id; use a new one"))
    return receipts


def _check_limits(limit: int, offset: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(f"limit must be from 1 to {MAX_LIMIT}")
    if not 0 <= offset <= MAX_OFFSET:
        raise InvalidInputError(f"offset must be from 0 to {MAX_OFFSET}; use the cursor of a page to continue")
