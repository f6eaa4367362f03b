"""A provider that knows some people, and a server with single sign-on by it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from django.test import Client

from memoryserver.access.sso import configuration
from memoryserver.accounts.models import User
from tests.support.fakes.oidc_provider import CLIENT, SECRET, choose, provider
from tests.support.rows.factories import UserFactory

FAULTS = ("signature", "audience", "issuer", "expired", "other subject", "no id token", "nonsense")


def person(name: str, **claims: Any) -> dict[str, Any]:
    return {
        "sub": f"subject of {name}",
        "preferred_username": name,
        "name": f"{name.title()} Lee",
        "email": f"{name}@example.org",
        "email_verified": True,
        **claims,
    }


PERSONS = {
    "ada": person("ada"),
    "ada elsewhere": person("ada", email="ada@elsewhere.example"),
    "grace": person("grace", email="Grace@Example.org"),
    "unconfirmed": person("grace", sub="another", email_verified=False),
    "silent": {"sub": "silent"},
    **{fault: person("ada", fault=fault) for fault in FAULTS},
}


@pytest.fixture
def ada(db: None) -> User:
    return UserFactory(username="ada", email="Ada@example.org")


class SignIn(Protocol):
    def __call__(self, browser: Client, name: str, process: str = ..., page: str = ...) -> Any: ...


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    with provider(PERSONS) as address:
        yield address


@pytest.fixture
def sso(issuer: str, settings: Any, monkeypatch: pytest.MonkeyPatch, db: None) -> Any:
    """Switches single sign-on on; call it with further settings."""

    def switch(**more: str) -> None:
        values = {"ISSUER": issuer, "CLIENT_ID": CLIENT, "SECRET": SECRET, "NAME": "Example Inc", **more}
        for name, value in values.items():
            monkeypatch.setenv(f"MEMORYSERVER_OIDC_{name}", value)
        settings.SOCIALACCOUNT_PROVIDERS = configuration.providers()

    switch()
    return switch


@pytest.fixture
def sign_in(sso: Any) -> SignIn:
    """Goes to the provider, signs in there under a name, and comes back; returns the answer to that."""

    def run(browser: Client, name: str, process: str = "login", page: str = "") -> Any:
        started = browser.post(f"/sso/openid/?process={process}" + (f"&next={page}" if page else ""))
        address = html.unescape(re.findall(r'<a href="(http[^"]+)"', started.content.decode())[0])
        return browser.get(choose(address, name))

    return run
