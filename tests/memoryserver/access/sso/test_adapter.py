"""Single sign-on with a provider in a process of its own: who comes in, and as whom."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.test import Client

from memoryserver.access import invitations
from memoryserver.access.models import Invitation
from memoryserver.accounts.models import Team, User
from obslog.models import Observation
from tests.memoryserver.access.sso.conftest import FAULTS, SignIn
from tests.support.rows.factories import TeamFactory, UserFactory


def is_signed_in(browser: Client) -> bool:
    return browser.get("/account/tokens/").status_code == 200


def kinds() -> list[str]:
    return list(Observation.objects.order_by("id").values_list("type", flat=True))


def test_confirmed_address_leads_to_its_account_which_is_then_connected(sign_in: SignIn, ada: User) -> None:
    browser = Client()

    answer = sign_in(browser, "ada", page="/search/")

    assert (answer.status_code, answer.headers["Location"], is_signed_in(browser)) == (302, "/search/", True)
    assert list(SocialAccount.objects.values_list("user", flat=True)) == [ada.pk]
    assert SocialToken.objects.count() == 0
    assert kinds() == ["user.sso_connected", "user.signed_in"]
    assert Observation.objects.get(type="user.signed_in").data == {"address": "127.0.0.1", "by": "single sign-on"}


def test_connected_person_comes_in_with_another_address_too(sign_in: SignIn, ada: User) -> None:
    sign_in(Client(), "ada")
    browser = Client()

    sign_in(browser, "ada elsewhere")

    assert (is_signed_in(browser), User.objects.get().email) == (True, "Ada@example.org")


@pytest.mark.parametrize("name", FAULTS)
def test_answer_that_is_not_signed_for_this_server_and_person_lets_nobody_in(
    name: str, sign_in: SignIn, ada: User
) -> None:
    browser = Client()

    answer = sign_in(browser, name)

    assert (answer.status_code in (401, 403), "Not signed in" in answer.content.decode()) == (True, True)
    assert (is_signed_in(browser), SocialAccount.objects.count()) == (False, 0)


def test_person_who_is_not_invited_is_told_how_to_get_in(sign_in: SignIn) -> None:
    answer = sign_in(Client(), "ada")

    assert (answer.status_code, "Accounts are made by invitation" in answer.content.decode()) == (200, True)
    assert User.objects.count() == 0


@pytest.mark.parametrize("followed", [True, False], ids=["by the link", "without the link"])
def test_invited_person_gets_an_account_in_the_team_once(sign_in: SignIn, followed: bool) -> None:
    _, key = invitations.make("grace@example.org", team=TeamFactory(name="crew"), by=None)
    browser = Client()
    if followed:
        browser.get(f"/invitation/{key}/")

    answer = sign_in(browser, "grace")

    grace = User.objects.get()
    assert (answer.status_code, is_signed_in(browser)) == (302, True)
    assert (grace.username, grace.email, [team.name for team in grace.teams.all()]) == (
        "grace",
        "grace@example.org",
        ["crew"],
    )
    assert not grace.has_usable_password()
    assert Client().get(f"/invitation/{key}/").status_code == 410
    assert Invitation.objects.get().accepted_at is not None
    assert "invitation.accepted" in kinds()


def test_link_of_another_person_makes_no_account(sign_in: SignIn) -> None:
    _, key = invitations.make("linus@example.org", team=None, by=None)
    browser = Client()
    browser.get(f"/invitation/{key}/")

    answer = sign_in(browser, "ada")

    said = "the invitation is for linus@example.org, and you signed in as ada@example.org"
    assert (answer.status_code, said in answer.content.decode(), User.objects.count()) == (403, True, 0)


@pytest.mark.parametrize("name", ["unconfirmed", "silent"])
@pytest.mark.parametrize("exists", [True, False])
def test_address_that_is_not_confirmed_is_nobodys(name: str, exists: bool, sso: Any, sign_in: SignIn) -> None:
    sso(SIGN_UP="1")
    if exists:
        UserFactory(username="grace", email="grace@example.org")

    answer = sign_in(Client(), name)

    assert (answer.status_code, "no mail address" in answer.content.decode()) == (403, True)
    assert (User.objects.count(), SocialAccount.objects.count()) == (exists, 0)


def test_where_the_providers_word_is_enough_an_account_is_made(sso: Any, sign_in: SignIn) -> None:
    sso(SIGN_UP="1", DOMAINS="example.org")
    UserFactory(username="ada", email="another@example.org")
    browser, refused = Client(), sign_in(Client(), "ada elsewhere")

    sign_in(browser, "ada")

    assert (refused.status_code, "may not sign in here" in refused.content.decode()) == (403, True)
    made = User.objects.exclude(username="ada").get()
    assert (made.email, is_signed_in(browser), Team.objects.count()) == ("ada@example.org", True, 0)


def test_known_person_of_a_domain_that_is_left_out_is_refused_and_recorded(
    sso: Any, sign_in: SignIn, ada: User
) -> None:
    sign_in(Client(), "ada")
    sso(DOMAINS="elsewhere.example")
    browser = Client()

    answer = sign_in(browser, "ada")

    assert (answer.status_code, is_signed_in(browser)) == (403, False)
    assert kinds()[-1] == "user.sign_in_failed"


@pytest.mark.parametrize("known", [True, False], ids=["connected", "by the address"])
def test_deactivated_user_stays_out(known: bool, sign_in: SignIn, sso: Any, ada: User) -> None:
    sso(SIGN_UP="1")
    if known:
        sign_in(Client(), "ada")
    User.objects.update(is_active=False)
    browser = Client()

    answer = sign_in(browser, "ada")

    assert (answer.headers["Location"], is_signed_in(browser), User.objects.count()) == ("/inactive/", False, 1)


def test_second_factor_is_asked_for_all_the_same(sign_in: SignIn, ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    browser = Client()

    answer = sign_in(browser, "ada")

    assert (answer.headers["Location"].partition("?")[0], is_signed_in(browser)) == (
        "/account/two-factor/authenticate/",
        False,
    )


def test_address_of_several_accounts_is_nobodys(sso: Any, sign_in: SignIn, ada: User) -> None:
    sso(SIGN_UP="1")
    UserFactory(username="ada2", email="ada@example.org")

    answer = sign_in(Client(), "ada")

    assert (answer.status_code, "several accounts have the address" in answer.content.decode()) == (403, True)
    assert SocialAccount.objects.count() == 0


def test_account_of_somebody_else_is_not_connected_twice_nor_disconnected(sign_in: SignIn, ada: User) -> None:
    sign_in(Client(), "ada")
    mallory = UserFactory(username="mallory", email="mallory@example.org")
    browser = Client()
    browser.force_login(mallory)

    said = browser.get(sign_in(browser, "ada", "connect").headers["Location"]).content.decode()
    browser.post("/account/sso/", {"account": SocialAccount.objects.get().pk})

    assert "with the account of somebody else" in said
    assert list(SocialAccount.objects.values_list("user", flat=True)) == [ada.pk]
