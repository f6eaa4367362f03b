"""Signing in: by name and by address, slowed after wrong passwords, from the admin too; passwords, second factor."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    validate_totp_code,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.test import Client

from memoryserver.accounts.models import User
from tests import support
from tests.support.rows.factories import UserFactory

PASSWORD = "correct horse battery"


@pytest.fixture
def dora(db: None, settings: Any) -> User:
    """Has a password, and one that is quickly checked."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    dora = UserFactory(username="dora", email="dora@example.org")
    dora.set_password(PASSWORD)
    dora.save()
    return dora


def sign_in(browser: Client, login: str = "dora", password: str = PASSWORD, **more: str) -> Any:
    return browser.post("/login/", {"login": login, "password": password, **more})


def is_signed_in(browser: Client) -> bool:
    return browser.get("/account/tokens/").status_code == 200


@pytest.mark.parametrize("login", ["dora", "dora@example.org", "DORA@example.org"])
def test_user_signs_in_by_name_or_address(dora: User, login: str) -> None:
    browser = Client()

    assert (sign_in(browser, login).headers["Location"], is_signed_in(browser)) == ("/", True)


@pytest.mark.parametrize("page", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_signing_in_never_leads_to_another_site(dora: User, page: str) -> None:
    assert sign_in(Client(), next=page).headers["Location"] == "/"


def test_wrong_sign_ins_are_slowed_for_the_right_password_too(dora: User) -> None:
    browser = Client()
    for number in range(15):
        sign_in(browser, password=f"wrong {number}")

    answer = sign_in(browser)

    assert (answer.status_code, b"Too many failed login attempts" in answer.content) == (200, True)
    assert not is_signed_in(browser)


def test_wrong_sign_ins_of_one_user_do_not_slow_another_elsewhere(dora: User) -> None:
    for number in range(15):
        sign_in(Client(REMOTE_ADDR="192.0.2.1"), login="somebody", password=f"wrong {number}")

    assert sign_in(Client(REMOTE_ADDR="192.0.2.2")).status_code == 302


def test_admin_has_no_sign_in_of_its_own(dora: User) -> None:
    answer = Client().post("/admin/login/?next=/admin/", {"username": "dora", "password": PASSWORD})

    assert (answer.status_code, answer.headers["Location"]) == (302, "/login/?next=%2Fadmin%2F")


def test_person_who_is_no_administrator_is_refused_by_the_admin(dora: User) -> None:
    browser = Client()
    sign_in(browser)

    assert browser.get("/admin/", follow=True).status_code == 403


def test_unknown_name_and_wrong_password_look_the_same(dora: User) -> None:
    pages = [sign_in(Client(), login, "wrong").content.decode() for login in ("dora", "nobody")]

    errors = [re.findall(r'role="alert">([^<]+)<', page) for page in pages]
    assert errors[0] == errors[1] != []


def test_mail_to_an_address_without_an_account_leads_to_no_closed_form(db: None) -> None:
    Client().post("/password/reset/", {"email": "nobody@example.org"})

    (sent,) = mail.outbox
    assert (sent.to, "accounts are made by invitation" in sent.body, "http" in sent.body) == (
        ["nobody@example.org"],
        True,
        False,
    )


def test_reset_answers_alike_for_known_and_unknown_addresses(dora: User) -> None:
    answers = [Client().post("/password/reset/", {"email": f"{name}@example.org"}) for name in ("dora", "nobody")]

    assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [
        (302, "/password/reset/done/")
    ] * 2
    assert [message.to for message in mail.outbox] == [["dora@example.org"], ["nobody@example.org"]]


def test_link_of_the_mail_sets_a_new_password_once(dora: User) -> None:
    Client().post("/password/reset/", {"email": "dora@example.org"})
    (link,) = re.findall(r"http://testserver(/password/reset/key/\S+)", str(mail.outbox[0].body))
    browser = Client()
    form = browser.get(link).headers["Location"]
    new = {"password1": "another horse battery", "password2": "another horse battery"}

    assert browser.post(form, new).headers["Location"] == "/password/reset/key/done/"
    assert sign_in(Client(), password="another horse battery").status_code == 302
    assert "Location" not in Client().get(link).headers


def test_password_is_changed_with_the_old_one_and_other_browsers_are_signed_out(dora: User) -> None:
    browser, other = Client(), Client()
    sign_in(browser)
    sign_in(other)
    new = {"password1": "another horse battery", "password2": "another horse battery"}

    assert browser.post("/account/password/", {"oldpassword": "wrong", **new}).status_code == 200
    assert browser.post("/account/password/", {"oldpassword": PASSWORD, **new}).status_code == 302
    assert (is_signed_in(browser), is_signed_in(other)) == (True, False)


def test_other_browsers_are_listed_and_signed_out(dora: User) -> None:
    browser, other = Client(headers={"user-agent": "Here"}), Client(headers={"user-agent": "Elsewhere"})
    sign_in(browser)
    sign_in(other)

    assert b"Elsewhere" in browser.get("/account/sessions/").content
    browser.post("/account/sessions/")

    assert (is_signed_in(browser), is_signed_in(other)) == (True, False)


def test_second_factor_is_asked_for_where_it_is_set_up(dora: User) -> None:
    secret = generate_totp_secret()
    TOTP.activate(dora, secret)
    browser = Client()

    assert sign_in(browser).headers["Location"].startswith("/account/two-factor/authenticate/")
    assert not is_signed_in(browser)
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    assert browser.post("/account/two-factor/authenticate/", {"code": code}).status_code == 302
    assert is_signed_in(browser)


@pytest.mark.parametrize(
    "path",
    [
        "/account/password/",
        "/account/sessions/",
        "/account/two-factor/",
        "/account/two-factor/totp/activate/",
        "/account/two-factor/webauthn/",
        "/account/two-factor/webauthn/add/",
        "/account/tokens/",
    ],
)
def test_page_of_the_account_is_in_the_layout_of_the_site(dora: User, path: str) -> None:
    browser = Client()
    sign_in(browser)
    browser.post("/account/confirm/", {"password": PASSWORD})  # what changes the second factor asks for it once more
    page = browser.get(path).content.decode()

    assert (page.count("<h1"), 'aria-label="Account"' in page, 'class="brand"' in page) == (1, True, True)


@pytest.mark.parametrize("path", ["/login/", "/signup/", "/password/reset/", "/password/reset/done/", "/inactive/"])
def test_entrance_is_in_the_layout_of_the_site(db: None, path: str) -> None:
    page = Client().get(path).content.decode()

    assert (page.count("<h1"), 'class="brand"' in page, "card narrow" in page) == (1, True, True)
    assert re.findall(r"<script(?![^>]*(?:src=|type=\"application/json\"))", page) == []


def second_factor_page(user: User) -> str:
    browser = Client()
    sign_in(browser, user.username)
    return browser.get("/account/two-factor/authenticate/").content.decode()


def test_page_of_the_second_factor_names_what_the_person_has(dora: User) -> None:
    TOTP.activate(dora, generate_totp_secret())
    without_key = second_factor_page(dora)
    key = json.loads((Path(support.__file__).parent / "security_key.json").read_text())  # made by Chromium
    Authenticator.objects.create(user=dora, type=Authenticator.Type.WEBAUTHN, data={"credential": key, "name": "blue"})
    with_key = second_factor_page(dora)

    assert [("one of your recovery codes" in page) for page in (without_key, with_key)] == [True, True]
    assert [("Use a security key" in page) for page in (without_key, with_key)] == [False, True]


def test_code_of_a_clock_half_a_minute_off_is_taken(db: None) -> None:
    secret = generate_totp_secret()
    counter = int(time.time()) // 30
    codes = {step: format_hotp_value(hotp_value(secret, counter + step)) for step in (-3, -1, 1, 3)}

    assert {step: validate_totp_code(secret, code) for step, code in codes.items()} == {
        -3: False,
        -1: True,
        1: True,
        3: False,
    }
