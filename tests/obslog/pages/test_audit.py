"""The page of what was recorded about a team."""

from __future__ import annotations

import pytest
from django.test import Client

from memoryserver.accounts import memberships
from memoryserver.accounts.models import Team, User
from tests.support.rows.factories import UserFactory


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


def page(user: User, team: Team) -> tuple[int, str]:
    client = Client()
    client.force_login(user)
    answer = client.get(f"/teams/{team.pk}/audit/")
    return answer.status_code, answer.content.decode()


def test_lead_sees_what_changed_and_by_whom(alice: User, bob: User, crew: Team) -> None:
    assert "Nothing has changed yet." in page(alice, crew)[1]
    memberships.set_role(crew, bob, "lead", alice)

    status, html = page(alice, crew)
    assert (status, "about bob, by alice" in html) == (200, True)


def test_others_do_not_find_it(bob: User, charlie: User, crew: Team) -> None:
    administrator = UserFactory(is_staff=True, is_superuser=True)
    assert [page(user, crew)[0] for user in (bob, charlie, administrator)] == [404, 404, 404]
