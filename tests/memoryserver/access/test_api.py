"""The device flow over HTTP, as RFC 8628 has it, with errors as problems."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from memoryserver.access import api, device
from memoryserver.access.models import DeviceGrant
from memoryserver.accounts.models import User

CODE, TOKEN = "/api/v1/device/code", "/api/v1/device/token"


def post(path: str, **body: Any) -> Any:
    return Client(headers={"user-agent": "memory/0.1.0"}).post(path, body, content_type="application/json")


def test_code_comes_with_the_page_of_this_server(db: None) -> None:
    answer = post(CODE, client_name="ada's laptop").json()

    grant = DeviceGrant.objects.get()
    assert answer == {
        "device_code": answer["device_code"],
        "user_code": grant.user_code,
        "verification_uri": "http://testserver/device/",
        "verification_uri_complete": f"http://testserver/device/?code={grant.user_code}",
        "expires_in": 600,
        "interval": 5,
    }
    assert (grant.client_name, grant.client, grant.address) == ("ada's laptop", "memory/0.1.0", "127.0.0.1")
    assert grant.scopes == ["ingest", "read"]


def test_poll_before_the_decision_is_pending_and_the_next_one_too_soon(db: None) -> None:
    code = post(CODE).json()["device_code"]
    answers = [post(TOKEN, device_code=code) for _ in range(2)]

    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [
        (400, "authorization_pending"),
        (400, "slow_down"),
    ]
    assert answers[0].headers["Content-Type"] == "application/problem+json"


def test_allowed_request_gives_the_token(alice: User) -> None:
    codes = post(CODE, scopes=["read"]).json()
    device.decide(alice, codes["user_code"], allow=True)
    answer = post(TOKEN, device_code=codes["device_code"]).json()

    assert {**answer, "access_token": ""} == {
        "access_token": "",
        "token_type": "bearer",
        "scope": "read",
        "user": "alice",
    }
    whoami = Client(headers={"authorization": f"Bearer {answer['access_token']}"}).get("/api/v1/whoami").json()
    assert (whoami["user"], whoami["scopes"]) == ("alice", ["read"])


@pytest.mark.parametrize("scopes", [["root"], []], ids=["unknown", "none"])
def test_scopes_that_no_token_has_are_refused(scopes: list[str], db: None) -> None:
    assert post(CODE, scopes=scopes).status_code == 422


@pytest.mark.parametrize(
    ("path", "limit"), [(CODE, "CODES_PER_MINUTE"), (TOKEN, "POLLS_PER_MINUTE")], ids=["codes", "polls"]
)
def test_one_address_cannot_ask_without_end(path: str, limit: str, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryserver.limits.rates.time.time", lambda: 1_000_000 * 60)
    monkeypatch.setattr(api, limit, 2)

    assert [post(path, device_code="0" * 64).status_code == 429 for _ in range(4)] == [False, False, True, True]
