from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ghap.local import Domain
from ghap.models import Entry
from ghap.strategies import Performance, Tally, performance
from memoryserver.accounts.models import Project, User


def only(found: list[Performance]) -> Tally:
    (one,) = found
    return one.overall


def test_outcomes_and_iterations_are_counted(alice: User, send: Callable[..., None]) -> None:
    for status, iterations in [
        ("confirmed", 1),
        ("confirmed", 2),
        ("confirmed", 9),
        ("falsified", 4),
        ("abandoned", 50),
    ]:
        send(alice, status, iterations)

    assert performance(alice) == [
        Performance(
            "systematic-elimination",
            tally := Tally(
                entries=5,
                confirmed=3,
                falsified=1,
                abandoned=1,
                poor=0,
                confirmed_rate=0.75,
                mean_iterations=4.0,
                median_iterations=3.0,
                confirmed_sound=3,
            ),
            {"debugging": tally},
        )
    ]


@pytest.mark.parametrize(
    ("iterations", "median"), [([3], 3.0), ([1, 4], 2.5), ([1, 1, 8], 1.0), ([1, 2, 2, 9], 2.0), ([5, 1, 2, 9], 3.5)]
)
def test_median_is_the_middle_one_or_the_mean_of_the_middle_two(
    iterations: list[int], median: float, alice: User, send: Callable[..., None]
) -> None:
    for number in iterations:
        send(alice, "confirmed", number)

    assert only(performance(alice)).median_iterations == median


def test_strategy_that_was_only_abandoned_has_no_rate(alice: User, send: Callable[..., None]) -> None:
    send(alice, "abandoned", 3)

    assert only(performance(alice)) == Tally(1, 0, 0, 1, 0, None, None, None)


def test_strategies_come_most_used_first_each_with_its_domains(alice: User, send: Callable[..., None]) -> None:
    send(alice, "confirmed", strategy="ask-user", domain="feature")
    send(alice, "confirmed", strategy="read-the-error", domain="debugging")
    send(alice, "falsified", strategy="read-the-error", domain="testing")

    found = performance(alice)

    assert [(one.strategy, one.overall.entries) for one in found] == [("read-the-error", 2), ("ask-user", 1)]
    assert {name: tally.confirmed_rate for name, tally in found[0].domains.items()} == {
        "debugging": 1.0,
        "testing": 0.0,
    }


def test_decided_entries_with_a_poor_hypothesis_are_told(alice: User, send: Callable[..., None]) -> None:
    send(alice, "confirmed")
    send(alice, "confirmed")
    Entry.objects.filter(pk=Entry.objects.earliest("pk").pk).update(confidence_tier="bronze")

    assert only(performance(alice)).poor == 1


def test_filters_narrow_what_is_counted(alice: User, shared_project: Project, send: Callable[..., None]) -> None:
    send(alice, "confirmed", domain="feature")
    send(alice, "confirmed", project=shared_project)
    send(alice, "confirmed", captured_at="2026-11-25T00:00:00Z")

    assert only(performance(alice)).entries == 3
    assert only(performance(alice, domain=Domain.FEATURE)).entries == 1
    assert only(performance(alice, project=shared_project.key)).entries == 1
    assert only(performance(alice, since=datetime(2026, 11, 25, tzinfo=UTC))).entries == 1
    assert performance(alice, project="no such") == []


def test_each_counts_what_they_may_see(
    alice: User, bob: User, charlie: User, shared_project: Project, send: Callable[..., None]
) -> None:
    send(alice, "confirmed")
    send(alice, "falsified", project=shared_project)

    assert [only(performance(alice)).entries, only(performance(bob)).entries] == [2, 1]
    assert performance(charlie) == []
    assert performance(AnonymousUser()) == []


def test_number_of_queries_does_not_depend_on_the_number_of_entries(alice: User, send: Callable[..., None]) -> None:
    counts = []
    for strategy in ("ask-user", "read-the-error", "trial-and-error"):
        send(alice, "confirmed", strategy=strategy)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            performance(alice)
        counts.append(len(queries))

    assert counts == [1, 1, 1]
