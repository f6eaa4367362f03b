"""Pages of tokens and of the device flow."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from memoryserver.access import device, views
from memoryserver.access.models import DeviceGrant
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User


@pytest.fixture
def browser(alice: User) -> Client:
    browser = Client()
    browser.force_login(alice)
    return browser


def start() -> device.Started:
    return device.start(["ingest", "read"], client_name="<b>laptop</b>", client="memory/0.1.0", address="192.0.2.7")


def test_token_made_on_the_page_is_shown_once_and_not_cached(browser: Client, alice: User) -> None:
    answer = browser.post("/account/tokens/", {"name": "ci", "scopes": ["read"], "days": "30"})
    page, again = answer.content.decode(), browser.get("/account/tokens/").content.decode()

    (text,) = re.findall(r"msv_\w{46}", page)
    token = tokens.authenticate(text)
    assert token is not None
    assert (token.user, token.name, token.scopes, token.expires_at is None) == (alice, "ci", ["read"], False)
    assert "no-store" in answer.headers["Cache-Control"]
    assert (text in again, token.prefix in again) == (False, True)


def test_form_with_a_mistake_makes_no_token_and_says_what_is_wrong(browser: Client) -> None:
    answer = browser.post("/account/tokens/", {"name": "ci", "days": "30"})

    assert (answer.status_code, "choose at least one" in answer.content.decode()) == (422, True)
    assert not ApiToken.objects.exists()


def test_revoked_token_opens_nothing_and_is_marked(browser: Client, alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")
    page = browser.post(f"/account/tokens/{token.pk}/revoke/", follow=True).content.decode()

    assert tokens.authenticate(text) is None
    assert ("laptop is revoked." in page, '<span class="tag">revoked</span>' in page) == (True, True)


def test_token_of_somebody_else_is_neither_listed_nor_revoked(browser: Client, charlie: User) -> None:
    token, text = tokens.issue(charlie, "charlie's laptop")

    assert browser.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert tokens.authenticate(text) == token
    assert b"charlie" not in browser.get("/account/tokens/").content


@pytest.mark.parametrize("path", ["/account/tokens/", "/device/"])
def test_page_needs_a_signed_in_user(path: str, db: None) -> None:
    answer = Client().get(path)

    assert (answer.status_code, answer.headers["Location"]) == (302, f"/login/?next={path}")


def test_code_is_confirmed_on_a_page_that_shows_which_client_asks(browser: Client, alice: User) -> None:
    started = start()
    asked = browser.post("/device/", {"code": started.user_code.lower()}).content.decode()

    for shown in (started.user_code, "memory/0.1.0", "192.0.2.7", "&lt;b&gt;laptop&lt;/b&gt;", "search and read"):
        assert shown in asked
    assert DeviceGrant.objects.get().state == "pending"


@pytest.mark.parametrize(("decision", "state"), [("allow", "allowed"), ("deny", "denied")])
def test_decision_is_recorded_with_the_user(browser: Client, alice: User, decision: str, state: str) -> None:
    answer = browser.post("/device/", {"code": start().user_code, "decision": decision})

    grant = DeviceGrant.objects.get()
    assert (answer.status_code, grant.state, grant.user) == (200, state, alice)


def test_link_with_a_code_only_fills_it_in(browser: Client) -> None:
    started = start()
    page = browser.get("/device/", {"code": started.user_code}).content.decode()

    assert f'value="{started.user_code}"' in page
    assert DeviceGrant.objects.get().state == "pending"


@pytest.mark.parametrize("code", ["BCDF-GHJK", "", "x" * 200])
def test_wrong_code_is_an_error_of_the_form(browser: Client, code: str) -> None:
    answer = browser.post("/device/", {"code": code})

    assert (answer.status_code, answer.content.decode().count('role="alert"')) == (422, 2)


def test_codes_cannot_be_guessed_at_will(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryserver.limits.rates.time.time", lambda: 1_000_000 * 60)
    statuses = [browser.post("/device/", {"code": "BCDF-GHJK"}).status_code for _ in range(views.CODES_PER_MINUTE + 1)]

    assert statuses == [422] * views.CODES_PER_MINUTE + [429]


def test_decision_without_the_token_of_the_form_is_refused(alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)

    assert strict.post("/device/", {"code": start().user_code, "decision": "allow"}).status_code == 403


@pytest.mark.parametrize("path", ["/account/tokens/", "/device/"])
def test_page_has_one_heading_and_no_script_of_its_own(browser: Client, path: str) -> None:
    page: Any = browser.get(path).content.decode()

    assert (page.count("<h1"), re.findall(r"<script(?![^>]*src=)", page)) == (1, [])
