from __future__ import annotations

import time
import uuid

from memoryserver.common.ids import first_id, milliseconds_of, uuid7


def test_id_is_a_uuid_of_version_7() -> None:
    made = uuid7()

    assert (made.version, made.variant) == (7, uuid.RFC_4122)


def test_id_begins_with_its_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000
    stamp = uuid7().int >> 80
    after = time.time_ns() // 1_000_000

    assert before <= stamp <= after


def test_later_id_sorts_after() -> None:
    first = uuid7()
    time.sleep(0.002)

    assert first < uuid7()


def test_many_ids_differ() -> None:
    assert len({uuid7() for _ in range(10_000)}) == 10_000


def test_ids_of_one_process_sort_in_the_order_made() -> None:
    made = [uuid7() for _ in range(2_000)]

    assert made == sorted(made)


def test_id_of_a_given_moment_has_its_time_and_its_position_in_it() -> None:
    made = [uuid7(1_700_000_000_123, position) for position in (0, 1, 4095)]

    assert [milliseconds_of(identifier) for identifier in made] == [1_700_000_000_123] * 3
    assert made == sorted(made)
    assert {(identifier.version, identifier.variant) for identifier in made} == {(7, uuid.RFC_4122)}


def test_first_id_lies_between_those_of_the_moment_before_and_of_its_own() -> None:
    moment = 1_700_000_000_123

    assert uuid7(moment - 1, 4095) < first_id(moment) < uuid7(moment, 0)
