from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string

from ghap import grouping
from ghap.intake import receive
from ghap.models import Entry
from ghap.pages.home import cards, figures, steps, tiles
from ghap.recurring import changes
from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import PageScope
from tests.ghap.recurring.test_queries import failing
from tests.support.rows.ghap_entries import body, falsified

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def entry(number: int, *, days_ago: int, make: Any = body, **changes: Any) -> dict[str, Any]:
    captured_at = (NOW - timedelta(days=days_ago)).isoformat().replace("+00:00", "Z")
    made: dict[str, Any] = make(
        id=f"ghap_20260820_1430{number:02d}_a1b2c3", created_at="2026-08-20T14:30:22Z", **changes
    )
    return {**made, "outcome": {**made["outcome"], "captured_at": captured_at}}


@pytest.fixture
def journal(alice: User, shared_project: Project) -> PageScope:
    receive(
        alice,
        shared_project,
        [
            entry(0, days_ago=1),
            entry(1, days_ago=2, make=falsified),
            entry(2, days_ago=3),
            entry(3, days_ago=10, make=falsified),
            entry(4, days_ago=80),
            entry(5, days_ago=90),
        ],
    )
    return PageScope(alice, "", 7, NOW)


def test_tile_has_the_share_of_the_period_with_its_n_and_that_of_the_period_before(journal: PageScope) -> None:
    (tile,) = tiles(journal)
    assert (tile.value, tile.note) == ("67 %", "2 of 3 decided; before 0 % of 1")
    assert tile.weeks == [*[None] * 9, 0.0, 100.0, 50.0]


def test_tile_without_decided_entries_has_no_share(alice: User) -> None:
    (tile,) = tiles(PageScope(alice, "", 7, NOW))
    assert (tile.value, tile.note, tile.weeks) == ("–", "none decided in this period", [None] * 12)


def test_poor_hypotheses_count_for_no_prediction(journal: PageScope) -> None:
    Entry.objects.filter(ghap_id__contains="143000").update(confidence_tier="bronze")
    (tile,) = tiles(journal)
    assert (tile.value, tile.note) == ("50 %", "1 of 2 decided; before 0 % of 1")


def test_outcomes_are_counted_by_day_in_a_short_period(journal: PageScope) -> None:
    outcomes = figures(journal)[0].context
    counts = {f"{start:%m-%d}": counts for start, counts in outcomes["table"] if any(counts)}
    assert (outcomes["unit"], len(outcomes["table"])) == ("day", 8)
    assert counts == {"11-22": [1, 0, 0], "11-23": [0, 1, 0], "11-24": [1, 0, 0]}
    assert (outcomes["largest"], outcomes["is_over"]) == (1, False)


def test_outcomes_are_counted_by_week_in_a_longer_period(journal: PageScope) -> None:
    outcomes = figures(replace(journal, days=30))[0].context
    assert [counts for _, counts in outcomes["table"]] == [[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]


def test_heat_map_has_confirmed_of_decided_without_poor_hypotheses(journal: PageScope) -> None:
    Entry.objects.filter(goal__startswith="Stop").update(confidence_tier="silver")
    Entry.objects.filter(ghap_id__contains="143000").update(confidence_tier="bronze")
    context = figures(replace(journal, days=90))[1].context
    ((strategy, cells),) = context["lines"]
    ((domain, cell),) = cells
    assert (strategy, domain, context["domains"]) == ("systematic-elimination", "debugging", ["debugging"])
    assert (cell.confirmed, cell.decided, cell.percent, cell.shade, cell.interval) == (3, 5, 60, 3, (23, 88))


def test_solved_failures_are_not_shown(alice: User, shared_project: Project) -> None:
    failure = failing(alice, shared_project, range(3))
    scope = PageScope(alice, "", 7, NOW)
    assert [(found.key, found.size) for found in cards(scope)[0].context["failures"]] == [(failure.pk, 3)]
    changes.change(alice, failure.pk, state="solved")
    assert cards(scope)[0].context["failures"] == []


@pytest.mark.parametrize("installed", [True, False])
def test_card_of_failures_says_whether_they_are_counted_at_all(
    installed: bool, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "is_installed", lambda: installed)
    (card,) = [card for card in cards(PageScope(alice, "", 7, NOW)) if card.title == "Failures"]

    page = render_to_string(card.template, {"card": card.context})
    assert ["counted every night" in page, "scikit-learn is not installed" in page] == [installed, not installed]


def test_step_is_done_with_the_first_entry(journal: PageScope, charlie: User) -> None:
    assert [steps(scope)[0].done for scope in (journal, PageScope(charlie, "", 7, NOW))] == [True, False]
