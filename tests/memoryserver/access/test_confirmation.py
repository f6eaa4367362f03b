"""How people confirm that it is them before they change how they sign in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from memoryserver.accounts.models import User

GUARDED = "/account/two-factor/totp/activate/"
BY_MAIL, CODE = "/account/confirm/mail/", "/account/confirm/code/"


@pytest.fixture
def dora(db: None) -> User:
    """Somebody who came by single sign-on: with a confirmed address, and no password."""
    user = User.objects.create_user("dora", "dora@example.org")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def browser(dora: User) -> Client:
    client = Client()
    client.force_login(dora)
    return client


def sent_code() -> str:
    found = re.search(r"^(?=.*[A-Z0-9])[A-Z0-9-]{6,}$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found is not None
    return found[0]


def ask(browser: Client) -> str:
    """Ask for a code and return it."""
    answer = browser.post(BY_MAIL, {"recipient": "dora@example.org", "next": GUARDED})
    assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, CODE)
    return sent_code()


def test_person_without_a_password_confirms_by_a_code_from_a_mail(browser: Client) -> None:
    first = browser.get(GUARDED)
    assert first["Location"] == f"{BY_MAIL}?next=%2Faccount%2Ftwo-factor%2Ftotp%2Factivate%2F"
    page = browser.get(first["Location"]).content.decode()
    assert "You have neither a password nor a second factor here." in page

    answer = browser.post(CODE, {"code": ask(browser), "next": GUARDED})

    assert (answer.status_code, answer["Location"]) == (302, GUARDED)
    assert browser.get(GUARDED).status_code == 200
    assert (mail.outbox[0].to, mail.outbox[0].subject) == (
        ["dora@example.org"],
        "[testserver] A code to confirm that it is you",
    )


def test_wrong_codes_change_nothing_and_end_the_right_one(browser: Client) -> None:
    code = ask(browser)
    answers = [browser.post(CODE, {"code": "ZZZZZZ"}).status_code for _ in range(3)]

    assert answers == [200, 200, 302]
    assert browser.post(CODE, {"code": code})["Location"] == BY_MAIL
    assert browser.get(GUARDED).status_code == 302


def test_code_is_of_the_browser_that_asked(browser: Client, dora: User) -> None:
    code = ask(browser)
    other = Client()
    other.force_login(dora)

    assert other.post(CODE, {"code": code})["Location"] == BY_MAIL
    assert other.get(GUARDED).status_code == 302


def test_no_code_goes_to_an_address_that_is_not_confirmed_or_not_theirs(browser: Client, dora: User) -> None:
    EmailAddress.objects.create(user=dora, email="new@example.org", verified=False)
    for address in ("new@example.org", "bob@example.org"):
        assert browser.post(BY_MAIL, {"recipient": address}).status_code == 200

    assert mail.outbox == []


@pytest.mark.parametrize(
    ("change", "page"),
    [
        (lambda user: user.set_password("open sesame please"), "/account/confirm/"),
        (lambda user: EmailAddress.objects.filter(user=user).update(verified=False), "/password/reset/"),
    ],
    ids=["a password", "no confirmed address"],
)
def test_code_is_only_for_who_can_have_nothing_else(change: Any, page: str, dora: User) -> None:
    change(dora)
    dora.save()
    browser = Client()
    browser.force_login(dora)

    assert browser.get(GUARDED)["Location"].partition("?")[0] == page
    assert browser.get(BY_MAIL)["Location"].partition("?")[0] == page


def test_person_without_password_and_address_is_refused(dora: User) -> None:
    EmailAddress.objects.all().delete()
    User.objects.update(email="")
    browser = Client()
    browser.force_login(dora)

    assert browser.get(GUARDED).status_code == 403


def test_person_without_a_password_cannot_confirm_by_it(browser: Client) -> None:
    assert browser.get("/account/confirm/")["Location"] == BY_MAIL
