"""The numbers of observations over time."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import User
from obslog import log
from obslog.pages import density as densities
from obslog.pages.density import BUCKETS, HEIGHT, density
from obslog.query import Filter
from tests.support.rows.observations import MOMENT, new

PART = 1000  # milliseconds


def counts(user: User, **conditions: Any) -> dict[int, int]:
    buckets = density(user, Filter(**conditions), MOMENT, MOMENT + BUCKETS * PART)
    return {number: bucket.count for number, bucket in enumerate(buckets) if bucket.count}


@pytest.fixture
def some(alice: User, bob: User) -> None:
    log.append(alice, new(created_at=MOMENT, type="task.done", source="agent:a", scope_ids=["t-1"]))
    later = new(created_at=MOMENT + PART - 1, type="task.updated", source="agent:b", scope_ids=["t-1", "t-2"])
    log.append(alice, later)
    log.append(alice, new(created_at=MOMENT + PART, type="task.done", source="cli:a"))
    log.append(alice, new(created_at=MOMENT + BUCKETS * PART, type="task.done"))
    log.append(bob, new(created_at=MOMENT, type="task.done"))


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, {0: 2, 1: 1}),
        ({"type": "task.done"}, {0: 1, 1: 1}),
        ({"source": "agent:"}, {0: 2}),
        ({"source": "agent:a"}, {0: 1}),
        ({"scope_ids": ["t-1"]}, {0: 2}),
        ({"type": "none"}, {}),
    ],
)
def test_own_matching_observations_are_counted_in_their_part(
    conditions: dict[str, Any], expected: dict[int, int], some: None, alice: User
) -> None:
    assert counts(alice, **conditions) == expected


def test_it_is_one_statement_and_counts_no_further_than_the_limit(
    some: None, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(densities, "MAX_COUNT", 1)
    with CaptureQueriesContext(connection) as queries:
        buckets = density(alice, Filter(), MOMENT, MOMENT + BUCKETS * PART)
    assert len(queries) == 1
    assert [(bucket.count, bucket.is_capped, bucket.height) for bucket in buckets[:3]] == [
        (1, True, HEIGHT),
        (1, True, HEIGHT),
        (0, False, 0),
    ]


def test_parts_cover_the_period_without_gaps(alice: User) -> None:
    buckets = density(alice, Filter(), MOMENT, MOMENT + BUCKETS * PART)
    assert [bucket.since for bucket in buckets[1:]] == [bucket.before for bucket in buckets[:-1]]
    assert (len(buckets), buckets[0].since) == (BUCKETS, "2023-11-14T22:13:20.000Z")
