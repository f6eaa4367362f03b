"""From the link to the account, and who may make a link."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from memoryserver.access import invitations
from memoryserver.access.models import Invitation
from memoryserver.accounts.models import User
from obslog.models import Observation
from tests.support.rows.factories import TeamFactory, UserFactory

FORM = {"username": "eve", "password1": "correct horse battery", "password2": "correct horse battery"}


@pytest.fixture
def administrator(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True))
    return client


def link(**fields: Any) -> str:
    _, key = invitations.make("eve@example.org", **{"team": None, "by": None, **fields})
    return invitations.link(key, "")


def test_link_leads_to_the_form_and_makes_one_account_of_the_invited_address(db: None) -> None:
    address = link(team=TeamFactory(name="crew"))
    browser = Client()
    assert browser.get(address).headers["Location"] == "/signup/"
    assert 'value="eve@example.org"' in browser.get("/signup/").content.decode()

    answer = browser.post("/signup/", {**FORM, "email": "mallory@example.org"})

    eve = User.objects.get(username="eve")
    assert (answer.status_code, eve.email, [team.name for team in eve.teams.all()]) == (
        302,
        "eve@example.org",
        ["crew"],
    )
    assert browser.get("/account/tokens/").status_code == 200
    assert Client().get(address).status_code == 410


def test_second_browser_with_the_link_of_a_used_invitation_makes_no_account(db: None) -> None:
    address = link()
    first, second = Client(), Client()
    first.get(address)
    second.get(address)
    first.post("/signup/", FORM)

    second.post("/signup/", {**FORM, "username": "mallory"})

    assert [user.username for user in User.objects.all()] == ["eve"]


def test_without_an_invitation_there_is_no_form(db: None) -> None:
    page = Client().get("/signup/").content.decode()
    Client().post("/signup/", {**FORM, "email": "eve@example.org"})

    assert ("<form" in page, "By invitation" in page) == (False, True)
    assert not User.objects.exists()


def test_form_with_a_mistake_keeps_the_invitation(db: None) -> None:
    address = link()
    browser = Client()
    browser.get(address)

    browser.post("/signup/", {**FORM, "password2": "other"})

    assert not User.objects.exists()
    assert Client().get(address).status_code == 302


def test_unknown_link_says_that_it_is_not_valid(db: None) -> None:
    answer = Client().get("/invitation/abc/")

    assert (answer.status_code, b"This link is not valid any more" in answer.content) == (410, True)


def test_signed_in_user_does_not_use_the_link_up(administrator: Client) -> None:
    address = link()

    assert b"You have an account" in administrator.get(address).content
    assert Client().get(address).status_code == 302


def test_link_is_shown_once_and_mailed(administrator: Client) -> None:
    team = TeamFactory(name="crew")
    page = administrator.post(
        "/account/invitations/", {"email": "eve@example.org", "team": team.pk, "mail": "on"}
    ).content.decode()

    (address,) = re.findall(r"http://testserver/invitation/\w+/", page)
    assert address in str(mail.outbox[0].body)
    assert (Invitation.objects.get().team, Client().get(address).status_code) == (team, 302)
    assert address not in administrator.get("/account/invitations/").content.decode()


def test_withdrawn_invitation_opens_nothing(administrator: Client) -> None:
    address = link()
    administrator.post(f"/account/invitations/{Invitation.objects.get().pk}/withdraw/")

    assert Client().get(address).status_code == 410


@pytest.mark.parametrize(("field", "value"), [("email", "x"), ("email", "root@example.org"), ("team", "999999")])
def test_invitation_with_a_mistake_is_not_made(administrator: Client, field: str, value: str) -> None:
    User.objects.update(email="root@example.org")
    answer = administrator.post("/account/invitations/", {"email": "eve@example.org", field: value})

    assert (answer.status_code, Invitation.objects.count()) == (422, 0)


def test_person_without_a_team_to_lead_can_neither_see_nor_make_nor_withdraw(alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    link()
    key = Invitation.objects.get().pk

    assert browser.get("/account/invitations/").status_code == 403
    assert browser.post("/account/invitations/", {"email": "x@example.org"}).status_code == 403
    assert browser.post(f"/account/invitations/{key}/withdraw/").status_code == 404
    assert Invitation.objects.count() == 1


def test_invitation_and_its_acceptance_are_recorded_without_the_address(administrator: Client) -> None:
    administrator.post("/account/invitations/", {"email": "eve@example.org"})
    invitation = Invitation.objects.get()
    invitations.accept(invitation, User.objects.get())

    rows = Observation.objects.filter(type__startswith="invitation.").order_by("arrival")
    assert [(row.type, row.message) for row in rows] == [
        ("invitation.made", f"invitation {invitation.pk} was made"),
        ("invitation.accepted", f"invitation {invitation.pk} was accepted"),
    ]
    assert "eve@" not in str([(row.message, row.data, row.scope_ids) for row in rows])
