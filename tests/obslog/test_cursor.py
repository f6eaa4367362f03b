"""Cursors: no gap and no repeat while several transactions append, in whatever order they commit."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from memoryserver.accounts.models import User
from obslog import cursor as cursors
from obslog import log
from obslog.cursor import MAX_SEEN, Cursor
from tests.obslog.others import Follower, Other
from tests.support.rows.observations import MOMENT, new

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def locked_from(arrival: int) -> Iterator[None]:
    """As if a transaction were under way that began to append after `arrival`."""
    upper, lower = 28514 << 16 | arrival >> 32, arrival & 0xFFFFFFFF
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s, %s)", [upper, lower - (lower >> 31 << 32)])
        yield
        cursor.execute("SELECT pg_advisory_unlock_all()")
    other.close()


@pytest.mark.parametrize("arrival", [0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40 + 2**31 + 5, 2**47])
def test_horizon_reads_the_number_of_a_lock_back_whole(alice: User, arrival: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('obslog_arrival', %s)", [2**48 - 10])
        with locked_from(arrival):
            cursor.execute("SELECT obslog_horizon()")
            assert cursor.fetchone() == (arrival,)
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**48 - 10,)
        cursor.execute("SELECT setval('obslog_arrival', 100)")


def test_lock_of_one_who_appends_names_the_arrival_before_its_own(alice: User, others: list[Other]) -> None:
    slow, _ = others
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('obslog_arrival', %s)", [2**40 + 2**31 + 5])
        slow.append(alice, "slow")
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**40 + 2**31 + 5,)
        slow.commit()
        cursor.execute("SELECT obslog_horizon()")
        assert cursor.fetchone() == (2**40 + 2**31 + 6,)
        cursor.execute("SELECT setval('obslog_arrival', 100)")


def test_text_of_a_cursor_is_read_back_as_it_was() -> None:
    assert str(Cursor(7, (9, 12))) == "7-2-3"
    assert cursors.parse("7-2-3") == Cursor(7, (9, 12))


def test_what_commits_late_comes_late_and_nothing_comes_twice(alice: User, others: list[Other]) -> None:
    slow, quick = others
    follow = Follower(alice)
    slow.append(alice, "slow 1")
    quick.append(alice, "quick 1")
    quick.commit()

    assert follow() == ["quick 1"]
    assert follow() == []
    slow.append(alice, "slow 2")
    quick.append(alice, "quick 2")
    quick.commit()
    assert follow() == ["quick 2"]
    slow.commit()
    assert sorted(follow()) == ["slow 1", "slow 2"]
    assert follow() == []


def test_two_that_commit_in_the_other_order_of_their_ids_both_come_once(alice: User, others: list[Other]) -> None:
    first, second = others
    follow = Follower(alice)
    first.append(alice, "made first")
    second.append(alice, "made second")
    second.commit()
    assert follow() == ["made second"]
    first.commit()
    assert follow() == ["made first"]
    assert follow() == []


def test_what_is_rolled_back_never_comes_and_holds_up_nobody(alice: User, others: list[Other]) -> None:
    gives_up, quick = others
    follow = Follower(alice)
    gives_up.append(alice, "given up")
    quick.append(alice, "quick")
    quick.commit()
    assert follow() == ["quick"]
    gives_up.roll_back()
    assert follow() == []
    assert cursors.parse(str(follow.cursor)).seen == ()


def test_transaction_that_appends_again_and_again_holds_one_lock(alice: User, others: list[Other]) -> None:
    slow, _ = others
    for number in range(20):
        slow.append(alice, str(number))

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint >> 16 = 28514")
        assert cursor.fetchone() == (1,)


def test_savepoint_that_is_rolled_back_leaves_the_next_append_guarded(alice: User, others: list[Other]) -> None:
    slow, quick = others
    slow.sql("SAVEPOINT a")
    slow.append(alice, "given up")
    slow.sql("ROLLBACK TO SAVEPOINT a")
    slow.append(alice, "slow")
    quick.append(alice, "quick")
    quick.commit()
    follow = Follower(alice)

    assert follow() == ["quick"]
    slow.commit()
    assert follow() == ["slow"]
    assert follow() == []


def test_append_by_plain_sql_is_guarded_too(alice: User, others: list[Other]) -> None:
    slow, quick = others
    slow.sql(
        "INSERT INTO obslog_observation (id, user_id, type, source, message, created_at) "
        f"VALUES ('018bcfe5-6800-7000-8000-000000000000', {alice.pk}, 'a', 'a:b', 'plain', 1700000000000)"
    )
    quick.append(alice, "quick")
    quick.commit()
    follow = Follower(alice)

    assert follow() == ["quick"]
    slow.commit()
    assert follow() == ["plain"]
    assert follow() == []


def test_long_transaction_that_appends_nothing_holds_up_nobody(alice: User, others: list[Other]) -> None:
    busy, quick = others
    busy.sql("UPDATE accounts_user SET first_name = 'x'")
    quick.append(alice, *map(str, range(5)))
    quick.commit()
    follow = Follower(alice)

    assert follow() == list("01234")
    assert cursors.parse(str(follow.cursor)).seen == ()


def test_one_finds_at_once_what_one_has_appended_although_others_are_at_it(alice: User, others: list[Other]) -> None:
    slow, quick = others
    slow.append(alice, "slow")
    quick.append(alice, "quick 1")
    quick.commit()
    assert [row.message for row in log.find_many(alice).observations] == ["quick 1"]
    assert [row.message for row in log.find_recent(alice).observations] == ["quick 1"]


def test_pages_of_a_first_answer_are_gone_through_before_what_came_meanwhile(alice: User, others: list[Other]) -> None:
    slow, quick = others
    quick.append(alice, "1", "2", "3", "4")
    quick.commit()
    slow.append(alice, "late")
    follow = Follower(alice, limit=2)

    assert follow() == ["1", "2"]
    quick.append(alice, "5")
    quick.commit()
    slow.commit()
    assert follow() == ["3", "4"]
    assert sorted(follow()) == ["5", "late"]
    assert follow() == []


def test_pages_of_what_came_meanwhile_are_passed_over_at_once(alice: User, others: list[Other]) -> None:
    """No answer is empty for that."""
    _, quick = others
    quick.append(alice, "1", "2", "3")
    quick.commit()
    follow = Follower(alice, limit=1)

    assert follow() == ["1"]
    log.append_all(alice, [new(message="old", created_at=MOMENT), *(new(message="between") for _ in range(5))])
    assert [follow(), follow()] == [["2"], ["3"]]
    assert sorted(follow.until_nothing_is_new()) == ["between"] * 5 + ["old"]


def test_cursor_of_the_recent_does_not_repeat_what_it_showed(alice: User, others: list[Other]) -> None:
    slow, quick = others
    slow.append(alice, "slow")
    quick.append(alice, "1", "2")
    quick.commit()
    follow = Follower(alice)
    follow.cursor = log.find_recent(alice).cursor

    slow.commit()
    assert follow() == ["slow"]
    assert follow() == []


def test_reader_waits_where_a_cursor_would_become_too_long(alice: User, others: list[Other]) -> None:
    slow, quick = others
    follow = Follower(alice, limit=700)
    assert follow() == []
    slow.append(alice, "slow")
    for start in range(0, 1500, 500):
        quick.append(alice, *map(str, range(start, start + 500)))
    quick.commit()

    found = follow.until_nothing_is_new()
    assert [int(message) for message in found] == list(range(MAX_SEEN))
    assert len(cursors.parse(str(follow.cursor)).seen) == MAX_SEEN
    assert len(str(follow.cursor)) < 4_000
    slow.commit()
    rest = follow.until_nothing_is_new()
    assert sorted(rest) == sorted(["slow", *map(str, range(MAX_SEEN, 1500))])


@pytest.mark.django_db(transaction=True)
def test_many_who_append_commit_and_give_up_at_random_lose_and_double_nothing(alice: User, charlie: User) -> None:
    """Eight writers, each with transactions of random length, a third of them given up; three readers all the while."""
    committed: list[str] = []
    writing = threading.Event()
    writing.set()

    def write(number: int) -> None:
        chance = random.Random(number)
        for turn in range(12):
            kept: list[str] = []
            with transaction.atomic():
                for part in range(chance.randint(1, 3)):
                    user = alice if chance.random() < 0.8 else charlie
                    message = f"{number}.{turn}.{part}"
                    log.append_all(user, [new(message=message, type=chance.choice(["a", "b"]))])
                    kept += [message] if user is alice else []
                    threading.Event().wait(chance.random() / 50)
                if chance.random() < 0.33:
                    transaction.set_rollback(True)
                    kept = []
            committed.extend(kept)
        connection.close()

    def read(limit: int) -> list[str]:
        follow = Follower(alice, limit=limit)
        found: list[str] = []
        while writing.is_set():
            found += follow()
        found += follow.until_nothing_is_new()
        connection.close()
        return found

    with ThreadPoolExecutor(11) as pool:
        readers = [pool.submit(read, limit) for limit in (1, 3, 1000)]
        for writer in [pool.submit(write, number) for number in range(8)]:
            writer.result()
        writing.clear()
        for reader in readers:
            assert sorted(reader.result()) == sorted(committed)
