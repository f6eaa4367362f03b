"""Single sign-on in a browser: out to the provider and back, past the Content-Security-Policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memoryserver.access import invitations
from memoryserver.access.sso import configuration
from memoryserver.accounts.models import Team, User
from tests.support.fakes.oidc_provider import CLIENT, SECRET, provider

ADA = {"sub": "1", "preferred_username": "ada", "email": "ada@example.org", "email_verified": True}


@pytest.fixture
def sso(settings: Any, monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[None]:
    with provider({"ada": ADA}) as issuer:
        values = {"ISSUER": issuer, "CLIENT_ID": CLIENT, "SECRET": SECRET, "NAME": "Example Inc"}
        for name, value in values.items():
            monkeypatch.setenv(f"MEMORYSERVER_OIDC_{name}", value)
        settings.SOCIALACCOUNT_PROVIDERS = configuration.providers()
        yield


def test_invited_person_makes_an_account_with_the_provider_and_signs_in_again(
    page: Page, live_server: Any, sso: None, errors: list[str]
) -> None:
    _, key = invitations.make("ada@example.org", team=Team.objects.create(name="crew"), by=None)
    page.goto(invitations.link(key, live_server.url))
    page.get_by_role("button", name="Make it with Example Inc").click()
    page.get_by_role("button", name="ada").click()
    expect(page.locator(".menu summary")).to_have_text("ada")
    page.context.clear_cookies()

    page.goto(f"{live_server.url}/search/?q=export")
    page.get_by_role("button", name="Sign in with Example Inc").click()
    page.get_by_role("button", name="ada").click()

    expect(page.locator(".menu summary")).to_have_text("ada")
    assert page.url == f"{live_server.url}/search/?q=export"
    assert [team.name for team in User.objects.get().teams.all()] == ["crew"]
    assert errors == []


def test_signed_in_person_connects_and_disconnects(page: Page, live_server: Any, sso: None, errors: list[str]) -> None:
    User.objects.create_user("linus", email="linus@example.org", password="open sesame please")
    page.goto(f"{live_server.url}/account/sso/")
    page.get_by_label("User").fill("linus")
    page.get_by_label("Password").fill("open sesame please")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Connect with Example Inc").click()
    page.get_by_role("button", name="ada").click()
    expect(page.get_by_role("status")).to_have_text("ada@example.org is connected.")

    page.get_by_role("button", name="Disconnect").click()

    expect(page.get_by_role("status")).to_have_text("It is disconnected.")
    expect(page.get_by_role("button", name="Connect with Example Inc")).to_be_visible()
    assert errors == []
