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
    def path(self) -> str:
        """The bar as the "d" of an SVG path."""
        return f"M{self.x:.1f} {self.y:.1f}h{self.width:.1f}v{self.height:.1f}h-{self.width:.1f}z"

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
    """Return the number of matching observations between each two of `edges`, at most MAX_COUNT.

    A subquery for each part of the period, planned by itself, would take longer to plan than to run.
    """
    bounds = {query.id_at(1): "part.first", query.id_at(2): "part.past"}
    counts: list[str] = []
    params: list[Any] = []
    for rows in query.parts_of(user, replace(filters, after_date=1, before_date=2)):
        ids = rows.order_by().values_list("observation_id" if filters.about else "id")
        sql, values = ids[:MAX_COUNT].query.sql_with_params()
        head, *pieces = sql.split("%s")
        bound = "".join(bounds.get(value, "%s") + piece for value, piece in zip(values, pieces, strict=True))
        counts.append(f"(SELECT count(*) FROM ({head}{bound}) AS matching)")  # noqa: S608  (Django's SQL)
        params += [value for value in values if value not in bounds]
    firsts, pasts = ([query.id_at(edge) for edge in part] for part in (edges[:-1], edges[1:]))
    statement = (
        f"SELECT least({' + '.join(counts)}, %s) "  # noqa: S608  (Django's SQL)
        "FROM unnest(%s::uuid[], %s::uuid[]) WITH ORDINALITY AS part (first, past, number) ORDER BY number"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*params, MAX_COUNT, firsts, pasts])
        return [count for (count,) in cursor.fetchall()]


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
