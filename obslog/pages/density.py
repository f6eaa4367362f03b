"""How many observations match in each part of a period, for the bar above the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from memoryserver.accounts.models import User
from obslog import query
from obslog.query import Filter

BUCKETS = 40
MAX_COUNT = 500  # per bucket: a bar that is higher says no more, and counting on would read the whole log
WIDTH, HEIGHT = 600, 40


@dataclass(frozen=True)
class Bucket:
    """A part of the period, as ISO times, with its number of observations and its bar in units of the view box.

    `count` is MAX_COUNT for MAX_COUNT or more.
    """

    since: str
    before: str
    count: int
    x: float
    y: float
    width: float
    height: float

    @property
    def is_capped(self) -> bool:
        """Whether there may be more than `count`."""
        return self.count >= MAX_COUNT


def density(user: User, filters: Filter, since: int, before: int) -> Sequence[Bucket]:
    """Return BUCKETS equal parts of the time from `since` to `before` (Unix milliseconds), the earliest first.

    One statement; it reads at most MAX_COUNT index entries for each part and scope id. An observation with several of
    the scope ids counts once for each.
    """
    edges = [since + (before - since) * number // BUCKETS for number in range(BUCKETS + 1)]
    counts = _counts(user, filters, edges)
    scale, width = HEIGHT / max([*counts, 1]), WIDTH / BUCKETS
    return [
        Bucket(
            since=_iso(edges[number]),
            before=_iso(edges[number + 1]),
            count=count,
            x=number * width,
            y=HEIGHT - scale * count,
            width=width * 0.8,
            height=scale * count,
        )
        for number, count in enumerate(counts)
    ]


def _counts(user: User, filters: Filter, edges: Sequence[int]) -> list[int]:
    statements: list[str] = []
    params: list[Any] = []
    key = "observation_id" if filters.about else "id"
    # Django makes the statement of one part of the time, and the others differ in its two bounds alone.
    one = query.parts_of(user, replace(filters, after_date=1, before_date=2))
    parts = [part.order_by().values_list(key)[:MAX_COUNT].query.sql_with_params() for part in one]
    for number in range(BUCKETS):
        bounds = {query.id_at(1): query.id_at(edges[number]), query.id_at(2): query.id_at(edges[number + 1])}
        for sql, values in parts:
            statements.append(f"SELECT {number}, (SELECT count(*) FROM ({sql}) AS part)")  # noqa: S608  (Django's SQL)
            params += [bounds.get(value, value) for value in values]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(statements), params)
        rows = cursor.fetchall()
    counts = [0] * BUCKETS
    for number, count in rows:
        counts[number] = min(counts[number] + count, MAX_COUNT)
    return counts


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
