"""Pages by the keys of their last row: complete, without repetition, whatever is added meanwhile."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime

import pytest

from capture.models import LearningSource
from memoryserver import keyset
from memoryserver.accounts.models import Project, User
from memoryserver.keyset import InvalidCursorError, page_of
from tests.support.rows import many_rows
from trajectory.models import Trajectory

LATEST = ("-last_call_at", "-pk")
EARLIEST = ("last_call_at", "pk")


def session(user: User, name: str, day: int | None) -> Trajectory:
    moment = None if day is None else datetime(2026, 11, day, tzinfo=UTC)
    return Trajectory.objects.create(user=user, session_id=name, last_call_at=moment)


def walk(order: tuple[str, ...], limit: int, *, keys_first: bool = False) -> list[str]:
    names: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = page_of(Trajectory.objects.all(), order, limit=limit, cursor=cursor, keys_first=keys_first)
        names += [row.session_id for row in page.rows]
        cursor = page.next_cursor
    return names


@pytest.mark.parametrize("keys_first", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
@pytest.mark.parametrize("order", [LATEST, EARLIEST])
def test_pages_together_are_the_ordered_list_with_ties_and_nulls(
    order: tuple[str, ...], limit: int, keys_first: bool, alice: User
) -> None:
    for number, day in enumerate([3, None, 1, 3, 2, None, 3]):
        session(alice, str(number), day)

    expected = list(Trajectory.objects.order_by(*order).values_list("session_id", flat=True))
    assert walk(order, limit, keys_first=keys_first) == expected


def test_row_added_at_the_beginning_neither_repeats_nor_hides_one(alice: User) -> None:
    for day in (1, 2, 3, 4):
        session(alice, f"day-{day}", day)
    first = page_of(Trajectory.objects.all(), LATEST, limit=2)
    session(alice, "day-5", 5)
    Trajectory.objects.filter(session_id="day-3").delete()  # the last one shown

    second = page_of(Trajectory.objects.all(), LATEST, limit=2, cursor=first.next_cursor or "")

    assert [row.session_id for row in second.rows] == ["day-2", "day-1"]
    assert second.next_cursor is None


def test_list_of_exactly_one_page_has_no_next(alice: User) -> None:
    session(alice, "a", 1)
    session(alice, "b", 2)

    assert page_of(Trajectory.objects.all(), LATEST, limit=2).next_cursor is None


def test_order_may_follow_a_relation(alice: User) -> None:
    many_rows.sources(alice, 5)
    order = ("-capture__captured_at", "-pk")
    rows = LearningSource.objects.select_related("capture")
    first = page_of(rows, order, limit=3)
    second = page_of(rows, order, limit=3, cursor=first.next_cursor or "")

    assert [*first.rows, *second.rows] == list(rows.order_by(*order))


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        *("x", "=", "not base64", "ä", "\ufffd", "9" * 5000),
        *map(encoded, ([], {}, "text", [1], ["x", 1], [None, "x"], [[], 1], [None, {}], [1, 2, 3])),
    ],
)
def test_text_that_is_no_cursor_of_the_list_is_refused(cursor: str, db: None) -> None:
    with pytest.raises(InvalidCursorError, match="cursor: invalid; use the one of the last response"):
        page_of(Trajectory.objects.all(), LATEST, limit=2, cursor=cursor)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-02-30T00:00:00Z"])
def test_time_that_does_not_exist_is_refused(moment: str, db: None) -> None:
    with pytest.raises(InvalidCursorError):
        page_of(Trajectory.objects.all(), LATEST, limit=2, cursor=encoded([moment, 1]))


@pytest.mark.parametrize("key", [10**30, -(10**30), -1])
def test_key_beyond_what_a_field_holds_is_no_failure(key: int, alice: User) -> None:
    session(alice, "a", 1)

    assert page_of(Trajectory.objects.all(), LATEST, limit=2, cursor=encoded(["2026-10-01T00:00:00Z", key])).rows == []


def test_rows_are_counted_up_to_a_bound(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "COUNTED", 2)
    said = [keyset.how_many(Project.objects.all(), "project")]
    for number in range(3):
        Project.objects.create(owner=alice, key=f"p-{number}")
        said.append(keyset.how_many(Project.objects.all(), "project"))
    assert said == ["0 projects", "1 project", "2 projects", "more than 2 projects"]
