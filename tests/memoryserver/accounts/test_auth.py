"""Who a request of the API comes from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory

from memoryserver.accounts import tokens
from memoryserver.accounts.auth import ANY_SCOPE, NoScopeDeclared
from memoryserver.accounts.models import ApiToken, User
from memoryserver.api import api as server_api


def authenticated(header: str | None) -> tuple[Any, Any]:
    """The token and the user of a request with this Authorization header."""
    request = RequestFactory().get("/", headers={"authorization": header} if header is not None else None)
    token = ANY_SCOPE(request)
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


OPERATIONS = [
    (method, path, [name for option in operation.get("security", []) for name in option])
    for path, methods in json.loads(json.dumps(server_api.get_openapi_schema()))["paths"].items()
    for method, operation in methods.items()
]
SCOPE_OF = {"IngestToken": "ingest", "ReadToken": "read", "ManageToken": "manage"}
SCOPED = [
    (method, path.replace("{key}", "1").replace("{source}", "entries").replace("{session_id}", "s"), SCOPE_OF[names[0]])
    for method, path, names in OPERATIONS
    if names and names[0] in SCOPE_OF
]


DECLARED = {*SCOPE_OF, "AnyToken"}
OPEN = {"/api/v1/device/code", "/api/v1/device/token"}  # who asks there has no token yet


def test_every_operation_declares_its_scope() -> None:
    undeclared = {path for _, path, names in OPERATIONS if {*names} - DECLARED or len(names) != 1}
    assert undeclared == OPEN


def test_operation_that_declares_no_scope_is_served_to_nobody(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    request = RequestFactory().get("/api/v1/new", headers={"authorization": f"Bearer {text}"})

    with pytest.raises(ImproperlyConfigured, match=r"^/api/v1/new: the operation declares no scope, as in auth=READ$"):
        NoScopeDeclared()(request)


@pytest.mark.parametrize(("method", "path", "scope"), SCOPED, ids=lambda value: value)
def test_token_with_every_other_scope_is_refused_by_the_name_of_the_missing_one(
    method: str, path: str, scope: str, alice: User
) -> None:
    _, text = tokens.issue(alice, "narrow", scopes=[name for name in SCOPE_OF.values() if name != scope])
    answer = Client(headers={"authorization": f"Bearer {text}"}).generic(method.upper(), path, "{}")

    assert (answer.status_code, answer.headers["Content-Type"]) == (403, "application/problem+json")
    assert answer.json() == {
        "title": "Forbidden",
        "status": 403,
        "detail": f"this token lacks the scope {scope!r}; make a token that has it on the page Tokens",
        "scope": scope,
    }


@pytest.mark.parametrize(("method", "path", "scope"), SCOPED, ids=lambda value: value)
def test_token_with_the_scope_alone_is_let_in(method: str, path: str, scope: str, alice: User) -> None:
    _, text = tokens.issue(alice, "narrow", scopes=[scope])
    answer = Client(headers={"authorization": f"Bearer {text}"}).generic(method.upper(), path, "{}")

    assert answer.status_code not in (401, 403)


def test_use_is_recorded_with_the_client_and_its_address(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    headers = {"authorization": f"Bearer {text}", "user-agent": "memory/0.1.0"}
    Client(headers=headers, REMOTE_ADDR="192.0.2.7").get("/api/v1/whoami")

    token = ApiToken.objects.get()
    assert (token.last_used_by, token.addresses) == ("memory/0.1.0", ["192.0.2.7"])
