"""Figures of the home page are kept for a minute, for each user and scope."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from memoryserver.home.figures import KEPT_SECONDS, figures_of, kept
from memoryserver.home.parts import all_parts
from memoryserver.home.scope import PageScope
from memoryserver.limits.models import CacheEntry
from tests.support.rows.ghap_entries import lately


@pytest.fixture
def scope(alice: User, shared_project: Project) -> PageScope:
    receive(alice, shared_project, [lately()])
    return PageScope(alice, "", 90, timezone.now())


def test_figures_are_computed_once_and_then_read_by_one_query(scope: PageScope, django_assert_num_queries: Any) -> None:
    first = figures_of(all_parts(), scope)

    with django_assert_num_queries(1):
        assert figures_of(all_parts(), replace(scope, now=timezone.now())) == first


def test_figures_are_kept_for_a_minute(scope: PageScope) -> None:
    before = timezone.now()
    figures_of(all_parts(), scope)

    row = CacheEntry.objects.get()
    limit = timedelta(seconds=KEPT_SECONDS)
    assert before + limit - timedelta(seconds=1) <= row.expires <= timezone.now() + limit


@pytest.mark.parametrize("changed", [{"days": 30}, {"project": "github.com/crew/other"}, {"team": "other"}])
def test_each_scope_has_its_own(scope: PageScope, changed: dict[str, Any]) -> None:
    figures_of(all_parts(), scope)
    figures_of(all_parts(), replace(scope, **changed))
    assert CacheEntry.objects.count() == 2


def test_stranger_is_not_shown_what_was_kept_for_another(scope: PageScope, charlie: User) -> None:
    def notes(user: User) -> list[str]:
        kept = figures_of(all_parts(), replace(scope, user=user))
        return [tile.note for figures in kept for tile in figures.tiles]

    assert isinstance(scope.user, User)
    assert ("1 of 1 decided" in notes(scope.user), "1 of 1 decided" in notes(charlie)) == (True, False)


def test_what_is_quickly_computed_again_is_not_kept(alice: User) -> None:
    scope, numbers = PageScope(alice, "", 7, timezone.now()), iter(range(10))

    assert [kept("few", scope, lambda: next(numbers), worth=lambda number: number > 1) for _ in range(5)] == [
        *(0, 1, 2, 2, 2),
    ]
