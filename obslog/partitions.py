"""The log's months: each a partition of both tables, made ahead, looked at, and dropped when it is old.

A month is a range of ids, since ids begin with their milliseconds. What fits no month is in the default
partition: what was appended with a time from before the first month, or beyond the last one made, or while nobody
made any. All here is DDL, so it takes a role that owns the tables, and never waits long for a lock: everybody
else would queue behind it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from memoryserver.common.ids import first_id

OBSERVATIONS = "obslog_observation"
SCOPES = "obslog_scope"
MONTHS_AHEAD = 3
_DEFAULT = "default"
_LOCK_TIMEOUT = "10s"
_MOVED = {
    OBSERVATIONS: "id, user_id, type, source, message, details, data, created_at, arrival",
    SCOPES: "observation_id, scope_id, user_id",
}


@dataclass(frozen=True, order=True)
class Month:
    """A month of UTC."""

    year: int
    month: int

    @classmethod
    def of(cls, moment: datetime) -> Month:
        """The one that `moment` is in."""
        moment = moment.astimezone(UTC)
        return cls(moment.year, moment.month)

    def plus(self, months: int) -> Month:
        """So many months later, or earlier."""
        years, rest = divmod(self.month - 1 + months, 12)
        return Month(self.year + years, rest + 1)

    @property
    def first_id(self) -> uuid.UUID:
        """The lowest id of the month."""
        return first_id(int(datetime(self.year, self.month, 1, tzinfo=UTC).timestamp()) * 1000)

    @property
    def suffix(self) -> str:
        """What its partitions' names end in."""
        return f"{self.year:04}_{self.month:02}"

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"


@dataclass(frozen=True)
class Size:
    """How much a month holds, None meaning the default partition; `observations` is Postgres' estimate."""

    month: Month | None
    observations: int
    bytes: int


def ensure(now: datetime, ahead: int = MONTHS_AHEAD) -> list[Month]:
    """Make what is missing of the months from the one before `now` to `ahead` after it, and return those.

    Rows of such a month that are in the default partition move into it.
    """
    wanted = [Month.of(now).plus(step) for step in range(-1, ahead + 1)]
    if set(wanted) <= set(months()):
        return []
    with _alone():
        missing = [month for month in wanted if month not in months()]
        if any(_is_in_default(month) for month in missing):
            _make_around_default(missing)
        else:
            _make(missing)
        _run(f"ANALYZE {OBSERVATIONS}, {SCOPES}")  # of partitioned tables nobody else does it
    return missing


def months() -> list[Month]:
    """The months that have partitions, in order."""
    names = [re.fullmatch(r"(\d{4})_(\d{2})", suffix) for suffix in _suffixes()]
    return sorted(Month(int(name[1]), int(name[2])) for name in names if name)


def drop_before(month: Month) -> list[tuple[str, int]]:
    """Drop all months before `month`; what was dropped and how many observations each had.

    The default partition goes too, and a new one takes its place, once it holds nothing but what is older.
    """
    with _alone():
        dropped = [(str(old), _drop(old.suffix)) for old in months() if old < month]
        newest = _ask(f"SELECT (SELECT id FROM {OBSERVATIONS}_{_DEFAULT} ORDER BY id DESC LIMIT 1)")  # noqa: S608
        if newest is not None and newest < month.first_id:
            dropped.append(("outside of any month", _drop(_DEFAULT)))
            _make_default()
    return dropped


def sizes() -> list[Size]:
    """How much each month holds, newest first, the default partition last; quick at any size."""
    rows = _all(
        """
        SELECT substr(table_.relname, length(parent.relname) + 2),
            sum(CASE WHEN parent.relname = %s THEN greatest(table_.reltuples, live.n_live_tup, 0) ELSE 0 END)::bigint,
            sum(pg_total_relation_size(table_.oid))::bigint
        FROM pg_inherits
        JOIN pg_class AS table_ ON table_.oid = inhrelid
        JOIN pg_class AS parent ON parent.oid = inhparent
        LEFT JOIN pg_stat_user_tables AS live ON live.relid = inhrelid
        WHERE inhparent IN (%s::regclass, %s::regclass)
        GROUP BY 1 ORDER BY 1 DESC
        """,
        [OBSERVATIONS, OBSERVATIONS, SCOPES],
    )
    found = [Size(_month(suffix), observations, size) for suffix, observations, size in rows]
    return sorted(found, key=lambda size: size.month is None)


@contextmanager
def _alone() -> Iterator[None]:
    """A transaction in which nobody else changes partitions."""
    with transaction.atomic():
        _run(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
        _run("SELECT pg_advisory_xact_lock(hashtextextended('observation log partitions', 0))")
        yield


def _make(missing: Sequence[Month]) -> None:
    for month in missing:
        bounds = f"FROM ('{month.first_id}') TO ('{month.plus(1).first_id}')"
        for table in (OBSERVATIONS, SCOPES):
            _run(f"CREATE TABLE {table}_{month.suffix} PARTITION OF {table} FOR VALUES {bounds}")


def _make_default() -> None:
    for table in (OBSERVATIONS, SCOPES):
        _run(f"CREATE TABLE {table}_{_DEFAULT} PARTITION OF {table} DEFAULT")


def _make_around_default(missing: Sequence[Month]) -> None:
    """Postgres makes no partition for rows that the default one has; these cannot be deleted from it either."""
    for table in (SCOPES, OBSERVATIONS):
        _detach(table, _DEFAULT)
        _run(f"ALTER TABLE {table}_{_DEFAULT} RENAME TO {table}_moving")
    _make(missing)
    _make_default()
    for table in (OBSERVATIONS, SCOPES):
        columns = _MOVED[table]
        _run(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_moving")  # noqa: S608  (our own words)
        _run(f"DROP TABLE {table}_moving")


def _drop(suffix: str) -> int:
    """Scopes first, or the foreign key would hold the observations."""
    count: int = _ask(f"SELECT count(*) FROM {OBSERVATIONS}_{suffix}")  # noqa: S608
    for table in (SCOPES, OBSERVATIONS):
        _detach(table, suffix)
        _run(f"DROP TABLE {table}_{suffix}")
    return count


def _detach(table: str, suffix: str) -> None:
    _run(f"ALTER TABLE {table} DETACH PARTITION {table}_{suffix}")
    if table == SCOPES:  # once on its own it would hold the observations it belongs to
        _run(f"ALTER TABLE {table}_{suffix} DROP CONSTRAINT IF EXISTS {SCOPES}_observation_id_fkey")


def _is_in_default(month: Month) -> bool:
    return bool(
        _ask(
            f"SELECT EXISTS (SELECT 1 FROM {OBSERVATIONS}_{_DEFAULT} WHERE id >= %s AND id < %s)",  # noqa: S608
            [month.first_id, month.plus(1).first_id],
        )
    )


def _suffixes() -> list[str]:
    sql = "SELECT substr(inhrelid::regclass::text, %s) FROM pg_inherits WHERE inhparent = %s::regclass"
    return [suffix for (suffix,) in _all(sql, [len(OBSERVATIONS) + 2, OBSERVATIONS])]


def _month(suffix: str) -> Month | None:
    return None if suffix == _DEFAULT else Month(int(suffix[:4]), int(suffix[5:]))


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def _ask(sql: str, params: Sequence[Any] = ()) -> Any:
    ((answer,),) = _all(sql, params)
    return answer


def _all(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
