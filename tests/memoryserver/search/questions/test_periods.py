"""Times in questions, asked on a Friday."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryserver.search.engine import Ranked
from memoryserver.search.questions import periods
from memoryserver.search.questions.periods import Period, period_of, raised

NOW = datetime(2026, 11, 20, 12, 30, tzinfo=UTC)
MAY = Period(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), "in May")


def span(query: str, now: datetime = NOW) -> tuple[str, str] | None:
    """The first day of the period and the first day after it."""
    period = period_of(query, now)
    return (f"{period.begin:%Y-%m-%d}", f"{period.end:%Y-%m-%d}") if period else None


@pytest.mark.parametrize(
    ("words", "begin", "end"),
    [
        ("today", "2026-11-20", "2026-11-21"),
        ("yesterday", "2026-11-19", "2026-11-20"),
        ("the day before yesterday", "2026-11-18", "2026-11-19"),
        ("three days ago", "2026-11-17", "2026-11-18"),
        ("ten days ago", "2026-11-09", "2026-11-12"),
        ("2 weeks ago", "2026-11-03", "2026-11-10"),
        ("a month ago", "2026-10-06", "2026-11-06"),
        ("a year ago", "2025-09-21", "2026-01-20"),
        ("on Tuesday", "2026-11-17", "2026-11-18"),
        ("on Friday", "2026-11-20", "2026-11-21"),
        ("last Friday", "2026-11-13", "2026-11-14"),
        ("this week", "2026-11-16", "2026-11-23"),
        ("last week", "2026-11-09", "2026-11-16"),
        ("last weekend", "2026-11-14", "2026-11-16"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("in May", "2026-05-01", "2026-06-01"),
        ("in december", "2025-12-01", "2026-01-01"),
        ("last November", "2025-11-01", "2025-12-01"),
        ("May 2025", "2025-05-01", "2025-06-01"),
        ("at the end of June", "2026-06-21", "2026-07-01"),
        ("early September", "2026-09-01", "2026-09-11"),
        ("in the middle of April", "2026-04-11", "2026-04-21"),
        ("last spring", "2026-03-01", "2026-06-01"),
        ("in the winter", "2025-12-01", "2026-03-01"),
        ("this autumn", "2026-09-01", "2026-12-01"),
        ("last autumn", "2025-09-01", "2025-12-01"),
        ("the fall of 2024", "2024-09-01", "2024-12-01"),
        ("12 March", "2026-03-12", "2026-03-13"),
        ("on December 3rd", "2025-12-03", "2025-12-04"),
        ("the 5th of May 2024", "2024-05-05", "2024-05-06"),
        ("2026-02-28", "2026-02-28", "2026-03-01"),
    ],
)
def test_question_names_a_period(words: str, begin: str, end: str) -> None:
    assert span(f"what broke {words}?") == (begin, end)
    assert span(f"{words}, what broke") == (begin, end)


@pytest.mark.parametrize(
    "query",
    [
        "may we use Spring Boot",
        "beans in Spring",
        "tests that march through all rows",
        "the last day of the sprint",
        "on 31 June",
        "in 2031",
        "2026-12-24",
        "99999 years ago",
        "the year-end report",
        "why does the job fail at the end of each month",
        "fall back to http",
    ],
)
def test_question_without_a_time_that_has_come_names_none(query: str) -> None:
    assert span(query) is None


def test_period_has_its_beginning_and_not_its_end() -> None:
    assert [MAY.has(moment) for moment in (MAY.begin, MAY.end)] == [True, False]


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("what broke in May?", "what broke ?"),
        ("in May what broke", "what broke"),
        ("in May?", "in May?"),
        ("the fix in May", "the fix"),
    ],
)
def test_rest_of_a_question_has_no_words_of_its_period(query: str, rest: str) -> None:
    assert MAY.rest_of(query) == rest


def ranked(record_id: int, score: float, month: int) -> Ranked:
    when = datetime(2026, month, 3, tzinfo=UTC)
    return Ranked(record_id, 1, "notes_a", "key", "", score, record_id, None, created_at=when)


def test_what_is_from_the_period_comes_before_what_is_a_little_better() -> None:
    rows = [ranked(1, 1.0, 4), ranked(2, 0.9, 5), ranked(3, 0.5, 5)]

    assert [row.record_id for row in raised(rows, MAY)] == [2, 1, 3]


def test_equal_scores_keep_their_order() -> None:
    rows = [ranked(number, 1.0, 5) for number in (3, 1, 2)]

    assert [row.record_id for row in raised(rows, MAY)] == [3, 1, 2]
    assert raised(rows, MAY)[0].score == 1 + periods.WEIGHT
