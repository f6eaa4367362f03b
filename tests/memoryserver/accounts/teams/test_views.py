"""The pages of teams and projects; who may open them is in tests/test_every_door.py."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Membership, Project, Team, User
from tests.support.rows.factories import ProjectFactory, TeamFactory
from tests.support.rows.ghap_entries import body


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def post(user: User, path: str, **data: str) -> str:
    """Return the page that the form leads to."""
    answer = browser(user).post(path, data, follow=True)
    assert answer.redirect_chain == [("/teams/", 302)]
    return text(answer)


def roles(team: Team) -> dict[str, str]:
    return dict(Membership.objects.filter(team=team).values_list("user__username", "role"))


def test_lead_gets_forms_and_a_member_none_but_to_leave(
    alice: User, bob: User, crew: Team, shared_project: Project
) -> None:
    of_lead, of_member = (text(browser(user).get("/teams/")) for user in (alice, bob))

    own = ("Stop leading this team", "Only another lead can make you one again.")
    for words in ("Make bob a lead", "Remove bob", *own, "Add to the team", f"/teams/{crew.pk}/audit/"):
        assert (words in of_lead, words in of_member) == (True, False)
    assert "Make alice a" not in of_lead
    assert "Leave this team" in of_member
    for page in (of_lead, of_member):
        assert (shared_project.key in page, "<script>" in page, " style=" in page) == (True, False, False)


def test_lead_adds_changes_and_removes_members(alice: User, bob: User, charlie: User, crew: Team) -> None:
    members = f"/teams/{crew.pk}/members/"
    assert "charlie is in team crew now." in post(alice, members, username=" charlie ")
    assert "bob is a lead of team crew now." in post(alice, f"{members}{bob.pk}/", role="lead")
    assert "charlie is not in team crew any more." in post(alice, f"{members}{charlie.pk}/", role="none")
    assert roles(crew) == {"alice": "lead", "bob": "lead"}


def test_what_is_not_possible_is_said_and_changes_nothing(alice: User, crew: Team) -> None:
    members = f"/teams/{crew.pk}/members/"
    assert "There is no user &#x27;nobody&#x27; on this server." in post(alice, members, username="nobody")
    assert "alice is the only lead of team crew; make somebody else a lead first." in post(
        alice, f"{members}{alice.pk}/", role="none"
    )
    assert browser(alice).post(f"{members}{alice.pk}/", {"role": "king"}).status_code == 404
    assert roles(crew) == {"alice": "lead", "bob": "member"}


def test_member_leaves(bob: User, crew: Team) -> None:
    assert "You are in no team." in post(bob, f"/teams/{crew.pk}/members/{bob.pk}/", role="none")
    assert roles(crew) == {"alice": "lead"}


def test_owner_moves_a_private_project_after_a_page_that_says_what_happens(alice: User, bob: User, crew: Team) -> None:
    project = ProjectFactory(owner=bob, key="github.com/crew/blog")
    address = f"/projects/{project.pk}/move/{crew.pk}/"
    assert f'href="{address}"' in text(browser(bob).get("/teams/"))
    shown = text(browser(bob).get(address))

    assert ("All members of crew will see everything" in shown, "cannot be undone" in shown) == (True, False)
    assert "github.com/crew/blog is a project of team crew now." in post(bob, address)
    assert project.key in text(browser(alice).get("/teams/"))
    assert browser(bob).post(address).status_code == 404  # it is the team's, which Bob does not lead


def test_merge_is_announced_and_done(bob: User, crew: Team, shared_project: Project) -> None:
    own = ProjectFactory(owner=bob, key=shared_project.key)
    receive(bob, own, [body()])
    address = f"/projects/{own.pk}/move/{crew.pk}/"
    shown = text(browser(bob).get(address))

    assert ("Merge with the project of crew" in shown, "This cannot be undone." in shown) == (True, True)
    assert "github.com/crew/shop is merged with the project of team crew now." in post(bob, address)
    assert (Entry.objects.get().project, Entry.objects.get().user) == (shared_project, bob)


def test_lead_of_two_teams_moves_a_project_between_them_and_not_into_its_own(
    alice: User, crew: Team, shared_project: Project
) -> None:
    other = TeamFactory(name="others", people=[alice])
    assert browser(alice).get(f"/projects/{shared_project.pk}/move/{crew.pk}/").status_code == 404
    post(alice, f"/projects/{shared_project.pk}/move/{other.pk}/")

    shared_project.refresh_from_db()
    assert shared_project.team == other
