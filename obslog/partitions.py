"""Monthly partitions of both tables: created ahead and dropped when they are old.

A month is a range of ids, since ids begin with their milliseconds. Rows that fit no month are in the default partition:
those with a time before the first or after the last month. All functions run DDL, which requires a role that owns the
tables, and use a lock timeout, since everybody else would wait behind them.
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
    OBSERVATIONS: "id, user_id, type, source, message, details, data, created_at, reported_id, arrival",
    SCOPES: "observation_id, scope_id, user_id",
}


@dataclass(frozen=True, order=True)
class Month:
    """A month of UTC."""

    year: int
    month: int

    @classmethod
    def of(cls, moment: datetime) -> Month:
        """Return the month of `moment`."""
        moment = moment.astimezone(UTC)
        return cls(moment.year, moment.month)

    def plus(self, months: int) -> Month:
        """Return the month that is `months` later, or earlier if negative."""
        years, month_index = divmod(self.month - 1 + months, 12)
        return Month(self.year + years, month_index + 1)

    @property
    def first_id(self) -> uuid.UUID:
        """The lowest id of the month."""
        return first_id(int(datetime(self.year, self.month, 1, tzinfo=UTC).timestamp()) * 1000)

    @property
    def suffix(self) -> str:
        """The suffix of the partitions' names."""
        return f"{self.year:04}_{self.month:02}"

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"


@dataclass(frozen=True)
class Size:
    """The size of a month, None for the default partition; `observations` is Postgres' estimate."""

    month: Month | None
    observations: int
    bytes: int


def ensure(now: datetime) -> list[Month]:
    """Create the missing months from the one before `now` to MONTHS_AHEAD months after it, and return them.

    Rows of these months are moved there from the default partition.
    """
    required = [Month.of(now).plus(step) for step in range(-1, MONTHS_AHEAD + 1)]
    if set(required) <= set(months()):
        return []
    with _lock():
        missing = [month for month in required if month not in months()]
        if any(_is_in_default(month) for month in missing):
            _make_around_default(missing)
        else:
            _make(missing)
        _run(f"ANALYZE {OBSERVATIONS}, {SCOPES}")  # autovacuum does not analyze partitioned tables
    return missing


def months() -> list[Month]:
    """Return the months that have partitions, in order."""
    names = [re.fullmatch(r"(\d{4})_(\d{2})", suffix) for suffix in _suffixes()]
    return sorted(Month(int(name[1]), int(name[2])) for name in names if name)


def drop_before(month: Month) -> list[tuple[str, int]]:
    """Drop all months before `month`; return what was dropped and its number of observations.

    The default partition is replaced by a new one too, if all its rows are older.
    """
    with _lock():
        dropped = [(str(old), _drop(old.suffix)) for old in months() if old < month]
        newest = _fetch_value(f"SELECT (SELECT id FROM {OBSERVATIONS}_{_DEFAULT} ORDER BY id DESC LIMIT 1)")  # noqa: S608
        if newest is not None and newest < month.first_id:
            dropped.append(("outside of any month", _drop(_DEFAULT)))
            _make_default()
    return dropped


def sizes() -> list[Size]:
    """Return the size of each month, newest first, the default partition last; fast at any size."""
    rows = _fetch_all(
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
    months = [Size(_month(suffix), observations, size) for suffix, observations, size in rows]
    return sorted(months, key=lambda size: size.month is None)


@contextmanager
def _lock() -> Iterator[None]:
    """Open a transaction that is the only one to change partitions."""
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
    """Create months whose rows are in the default partition.

    Postgres creates no partition for rows that are in the default one, and triggers prevent their deletion, so a new
    default partition is created and the rows are copied.
    """
    for table in (SCOPES, OBSERVATIONS):
        _detach(table, _DEFAULT)
        _run(f"ALTER TABLE {table}_{_DEFAULT} RENAME TO {table}_moving")
    _make(missing)
    _make_default()
    for table in (OBSERVATIONS, SCOPES):
        columns = _MOVED[table]
        _run(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_moving")  # noqa: S608  (constants only)
        _run(f"DROP TABLE {table}_moving")


def _drop(suffix: str) -> int:
    """Drop the partitions, scopes first because of the foreign key; return the number of observations."""
    count: int = _fetch_value(f"SELECT count(*) FROM {OBSERVATIONS}_{suffix}")  # noqa: S608
    for table in (SCOPES, OBSERVATIONS):
        _detach(table, suffix)
        _run(f"DROP TABLE {table}_{suffix}")
    return count


def _detach(table: str, suffix: str) -> None:
    _run(f"ALTER TABLE {table} DETACH PARTITION {table}_{suffix}")
    if table == SCOPES:  # a detached table would still reference the observations
        _run(f"ALTER TABLE {table}_{suffix} DROP CONSTRAINT IF EXISTS {SCOPES}_observation_id_fkey")


def _is_in_default(month: Month) -> bool:
    return bool(
        _fetch_value(
            f"SELECT EXISTS (SELECT 1 FROM {OBSERVATIONS}_{_DEFAULT} WHERE id >= %s AND id < %s)",  # noqa: S608
            [month.first_id, month.plus(1).first_id],
        )
    )


def _suffixes() -> list[str]:
    sql = "SELECT substr(inhrelid::regclass::text, %s) FROM pg_inherits WHERE inhparent = %s::regclass"
    return [suffix for (suffix,) in _fetch_all(sql, [len(OBSERVATIONS) + 2, OBSERVATIONS])]


def _month(suffix: str) -> Month | None:
    return None if suffix == _DEFAULT else Month(int(suffix[:4]), int(suffix[5:]))


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def _fetch_value(sql: str, params: Sequence[Any] = ()) -> Any:
    ((value,),) = _fetch_all(sql, params)
    return value


def _fetch_all(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
