"""The log's months: made ahead, filled, dropped, measured."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memoryserver.accounts.models import User
from obslog import log, partitions
from obslog.models import Observation, Scope
from obslog.partitions import Month
from obslog.query import Filter
from tests.support.rows.observations import new, store_with_any_time

NOW = datetime(2031, 5, 17, tzinfo=UTC)
DAY = 86_400_000


def moment(year: int, month: int, day: int = 1) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp()) * 1000


def at(moment: int, **changes: Any) -> Any:
    return new(created_at=moment, scope_ids=["task"], **changes)


def tables_of(model: type[Observation | Scope]) -> list[str]:
    """Where each row lies, in the order of ids."""
    table, key = model._meta.db_table, "id" if model is Observation else "observation_id"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT tableoid::regclass::text FROM {table} ORDER BY {key}")
        return [name for (name,) in cursor.fetchall()]


def shape(table: str) -> tuple[Any, ...]:
    """What a partition has: columns, indexes, triggers and foreign keys, without their names."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM pg_index WHERE indrelid = %(t)s::regclass),"
            " (SELECT array_agg(tgfoid::regproc::text ORDER BY tgfoid) FROM pg_trigger"
            "  WHERE tgrelid = %(t)s::regclass AND NOT tgisinternal),"
            " (SELECT count(*) FROM pg_constraint WHERE conrelid = %(t)s::regclass AND contype = 'f')",
            {"t": table},
        )
        found: tuple[Any, ...] = cursor.fetchone()
        return found


def test_months_are_there_after_migrating(db: None) -> None:
    made = partitions.months()

    assert made == [made[0].plus(step) for step in range(5)]
    assert Month.of(timezone.now()) in made[1:3]  # the later one if a month began since the database was made


def test_what_is_missing_is_made_and_then_nothing(db: None) -> None:
    with transaction.atomic():
        assert partitions.ensure(NOW) == [Month(2031, month) for month in (4, 5, 6, 7, 8)]
        assert partitions.ensure(NOW) == []


def test_new_month_has_the_indexes_triggers_and_keys_of_the_others(db: None) -> None:
    partitions.ensure(NOW)

    for table in (partitions.OBSERVATIONS, partitions.SCOPES):
        assert shape(f"{table}_2031_05") == shape(f"{table}_default")


def test_rows_lie_in_the_month_of_their_time(alice: User) -> None:
    partitions.ensure(NOW)
    end = moment(2031, 6)
    store_with_any_time(alice, [at(0), at(end - 1), at(end), at(moment(2100, 1))])

    suffixes = ["default", "2031_05", "2031_06", "default"]
    assert tables_of(Observation) == [f"obslog_observation_{suffix}" for suffix in suffixes]
    assert tables_of(Scope) == [f"obslog_scope_{suffix}" for suffix in suffixes]


def test_rows_of_a_month_that_nobody_made_in_time_move_into_it(alice: User) -> None:
    store_with_any_time(alice, [at(0), at(moment(2031, 5, 3)), at(moment(2031, 5, 4)), at(moment(2100, 1))])
    before = list(Observation.objects.order_by("id").values())
    page = log.find_many(alice, limit=2)

    partitions.ensure(NOW)

    suffixes = ["default", "2031_05", "2031_05", "default"]
    assert tables_of(Observation) == [f"obslog_observation_{suffix}" for suffix in suffixes]
    assert tables_of(Scope) == [f"obslog_scope_{suffix}" for suffix in suffixes]
    assert list(Observation.objects.order_by("id").values()) == before
    for table in (partitions.OBSERVATIONS, partitions.SCOPES):
        assert shape(f"{table}_default") == shape(f"{table}_2031_05")
    rest = log.find_many(alice, cursor=page.cursor).observations
    assert [row.pk for row in rest] == [row["id"] for row in before[2:]]
    assert not log.find_many(alice, cursor=log.find_many(alice, cursor=page.cursor).cursor).observations


def test_month_that_was_moved_is_append_only_as_well(alice: User) -> None:
    store_with_any_time(alice, [at(moment(2031, 5, 3))])
    partitions.ensure(NOW)

    with pytest.raises(DatabaseError, match="append-only: DELETE of obslog_observation_2031_05"), transaction.atomic():
        Observation.objects.all()._raw_delete("default")


def test_old_months_are_dropped_whole_and_said_to_be(alice: User) -> None:
    partitions.ensure(NOW)
    store_with_any_time(alice, [at(moment(2031, month, day)) for month, day in ((4, 1), (4, 30), (5, 1), (6, 2))])

    dropped = partitions.drop_before(Month(2031, 5))

    assert dropped[-1] == ("2031-04", 2)
    assert {count for _, count in dropped[:-1]} == {0}
    assert partitions.months()[0] == Month(2031, 5)
    assert tables_of(Observation) == ["obslog_observation_2031_05", "obslog_observation_2031_06"]
    assert tables_of(Scope) == ["obslog_scope_2031_05", "obslog_scope_2031_06"]


def test_default_partition_is_dropped_once_all_in_it_is_old(alice: User) -> None:
    partitions.ensure(NOW)
    store_with_any_time(alice, [at(DAY), at(moment(2001, 1))])

    assert partitions.drop_before(Month(2000, 12)) == []
    assert partitions.drop_before(Month(2001, 2)) == [("outside of any month", 2)]
    assert not Observation.objects.exists()
    store_with_any_time(alice, [at(DAY)])
    assert shape("obslog_observation_default") == shape("obslog_observation_2031_05")


def test_sizes_are_of_each_month_newest_first_and_then_of_the_rest(db: None) -> None:
    sizes = partitions.sizes()

    assert [size.month for size in sizes] == [*reversed(partitions.months()), None]
    assert all(size.bytes > 0 for size in sizes)


@pytest.mark.django_db(transaction=True)
def test_sizes_count_what_is_there() -> None:
    alice = User.objects.create(username="alice")
    log.append_all(alice, [new(scope_ids=["a", "b"]) for _ in range(30)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE obslog_observation, obslog_scope")

    assert sum(size.observations for size in partitions.sizes()) == 30


@pytest.mark.django_db(transaction=True)
def test_flush_empties_the_log_and_leaves_its_months() -> None:
    alice = User.objects.create(username="alice")
    log.append(alice, new(scope_ids=["a"]))
    before = partitions.months()

    call_command("flush", interactive=False, verbosity=0)

    assert (Observation.objects.count(), Scope.objects.count()) == (0, 0)
    assert partitions.months() == before


@pytest.mark.django_db(transaction=True)
def test_job_that_cannot_get_the_lock_gives_up_and_leaves_all_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "_LOCK_TIMEOUT", "50ms")
    before = partitions.months()
    other = connection.copy()
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM obslog_observation")
        with pytest.raises(DatabaseError, match="lock timeout"):
            partitions.drop_before(before[2])
    other.rollback()
    other.close()

    assert partitions.months() == before


def test_dates_prune_months(alice: User) -> None:
    partitions.ensure(NOW)
    wanted = Filter(after_date=moment(2031, 5), before_date=moment(2031, 6))
    from obslog.query import find_ids  # the plan of what find_many asks

    with connection.cursor() as cursor, _captured() as queries:
        find_ids(alice, wanted, order="asc", offset=0, limit=50)
        cursor.execute(f"EXPLAIN {queries[0]['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "obslog_observation_2031_05" in plan
    assert "obslog_observation_2031_06" not in plan
    assert "obslog_observation_default" not in plan


def _captured() -> Any:
    from django.test.utils import CaptureQueriesContext

    return CaptureQueriesContext(connection)


@pytest.mark.parametrize(
    ("month", "months", "expected"),
    [
        (Month(2026, 1), -1, Month(2025, 12)),
        (Month(2026, 12), 1, Month(2027, 1)),
        (Month(2026, 6), -18, Month(2024, 12)),
        (Month(2026, 6), 0, Month(2026, 6)),
    ],
)
def test_month_so_many_months_on(month: Month, months: int, expected: Month) -> None:
    assert month.plus(months) == expected
