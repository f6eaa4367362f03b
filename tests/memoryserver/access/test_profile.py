"""The page about the signed-in person."""

from __future__ import annotations

from django.test import Client

from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User


def test_profile_says_who_one_is_and_in_which_teams(alice: User, bob: User, shared_project: Project) -> None:
    tokens.issue(bob, "laptop")
    browser = Client()
    browser.force_login(bob)

    page = browser.get("/account/").content.decode()
    team = alice.teams.get()
    assert "<h1>bob</h1>" in page
    assert f'<a href="/teams/#team-{team.pk}">crew</a> (member)' in page
    assert '<dd><a href="/account/tokens/">1</a></dd>' in page
    assert '<dd><a href="/account/laptops/">0</a></dd>' in page
