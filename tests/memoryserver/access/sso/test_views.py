"""Single sign-on with a provider in a process of its own: the way there and back, and the page of connections."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from memoryserver.accounts.models import User
from tests.memoryserver.access.sso.conftest import SignIn
from tests.support.fakes.oidc_provider import choose
from tests.support.rows.factories import UserFactory


def test_who_says_no_at_the_provider_is_back_at_the_beginning(sign_in: SignIn) -> None:
    assert sign_in(Client(), "nobody").headers["Location"] == "/sso/cancelled/"
    assert "You stopped on the way." in Client().get("/sso/cancelled/").content.decode()


@pytest.mark.parametrize("query", ["", "?code=x", "?code=x&state=made-up", "?error=server_error"])
def test_answer_that_nobody_asked_for_lets_nobody_in(query: str, sso: Any) -> None:
    answer = Client().get(f"/sso/openid/callback/{query}")

    assert (answer.status_code, "Not signed in" in answer.content.decode()) == (401, True)


def test_answer_is_taken_once_and_in_the_browser_that_asked(sso: Any, ada: User) -> None:
    browser = Client()
    started = browser.post("/sso/openid/?process=login").content.decode()
    back = choose(html.unescape(re.findall(r'<a href="(http[^"]+)"', started)[0]), "ada")

    elsewhere = Client().get(back)
    first = browser.get(back)
    browser.post("/logout/")
    second = browser.get(back)

    assert [answer.status_code for answer in (elsewhere, first, second)] == [401, 302, 401]


def test_link_of_somebody_else_does_not_start_it(sso: Any) -> None:
    answer = Client().get("/sso/openid/?process=connect")

    assert (answer.status_code, "Go on to Example Inc" in answer.content.decode()) == (200, True)


def test_provider_that_is_away_is_an_error_page_and_no_failure(sso: Any) -> None:
    sso(ISSUER="http://127.0.0.1:9")

    answer = Client().post("/sso/openid/?process=login")

    assert (answer.status_code, "Not signed in" in answer.content.decode()) == (401, True)


def test_without_the_settings_there_is_no_way_in(db: None, ada: User) -> None:
    browser = Client()
    browser.force_login(ada)

    pages = [Client().get("/sso/openid/"), Client().get("/sso/openid/callback/"), browser.get("/account/sso/")]

    assert [page.status_code for page in pages] == [404, 404, 404]
    assert "Single sign-on" not in browser.get("/account/").content.decode()
    assert "Example Inc" not in Client().get("/login/").content.decode()


def test_signed_in_person_connects_and_disconnects(sign_in: SignIn, sso: Any) -> None:
    linus = UserFactory(username="linus", email="linus@example.org")
    linus.set_password("correct horse battery")
    linus.save()
    browser = Client()
    browser.post("/login/", {"login": "linus", "password": "correct horse battery"})
    before = browser.get("/account/sso/").content.decode()

    sign_in(browser, "ada", "connect")
    page = browser.get("/account/sso/").content.decode()
    after = browser.post("/account/sso/", {"account": SocialAccount.objects.get(user=linus).pk}, follow=True)

    assert ("Connect with Example Inc" in before, "Disconnect" in page, "ada@example.org" in page) == (True, True, True)
    assert ("It is disconnected." in after.content.decode(), SocialAccount.objects.count()) == (True, 0)


def test_who_has_no_password_cannot_disconnect_their_only_way_in(sign_in: SignIn, sso: Any) -> None:
    sso(SIGN_UP="1")
    browser = Client()
    sign_in(browser, "ada")

    said = browser.post("/account/sso/", {"account": SocialAccount.objects.get().pk}).content.decode()

    assert ("no password" in said, SocialAccount.objects.count()) == (True, 1)
