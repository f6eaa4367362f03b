"""Who a request of the API comes from."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client, RequestFactory

from memoryserver.accounts import tokens
from memoryserver.accounts.auth import TokenAuth
from memoryserver.accounts.models import User


def authenticated(header: str | None) -> tuple[Any, Any]:
    """The token and the user of a request with this Authorization header."""
    request = RequestFactory().get("/", headers={"authorization": header} if header is not None else None)
    token = TokenAuth()(request)
    return token, getattr(request, "user", None)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_token_gives_its_user(alice: User, scheme: str) -> None:
    token, text = tokens.issue(alice, "laptop")

    assert authenticated(f"{scheme} {text}") == (token, alice)


@pytest.mark.parametrize("form", ["{}", "Basic {}", "Token {}", "Bearer {}x", "Bearer x{}", "Bearer", ""])
def test_header_of_another_form_gives_nobody(alice: User, form: str) -> None:
    _, text = tokens.issue(alice, "laptop")

    assert authenticated(form.format(text)) == (None, None)


def test_request_without_the_header_gives_nobody(db: None) -> None:
    assert authenticated(None) == (None, None)


def test_token_of_a_deactivated_user_gives_nobody(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    User.objects.update(is_active=False)

    assert authenticated(f"Bearer {text}") == (None, None)


def test_token_decides_and_not_the_session_of_the_same_browser(alice: User, bob: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    browser = Client(headers={"authorization": f"Bearer {text}"})
    browser.force_login(bob)

    assert browser.get("/api/v1/whoami").json()["user"] == "alice"


def test_token_in_the_address_is_not_accepted(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")

    assert Client().get("/api/v1/whoami", {"token": text, "authorization": f"Bearer {text}"}).status_code == 401
