"""What holds for every endpoint: who gets in, and what errors look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from tests.support.rows.ghap_entries import body

Api = Callable[[User | None], Client]

ENDPOINTS = [
    ("get", "/api/v1/whoami"),
    ("post", "/api/v1/ghap/entries"),
    ("get", "/api/v1/ghap/strategies"),
    ("get", "/api/v1/ghap/clusters"),
    ("post", "/api/v1/capture/queue-files"),
    ("get", "/api/v1/observations"),
    ("post", "/api/v1/observations"),
    ("get", "/api/v1/search?q=x"),
]


def problem(answer: Any) -> tuple[int, str]:
    assert answer.headers["Content-Type"] == "application/problem+json"
    content = json.loads(answer.content)
    assert content["status"] == answer.status_code
    return answer.status_code, content["detail"]


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_nobody_gets_in_without_a_token(method: str, path: str, api: Api) -> None:
    answer = getattr(api(None), method)(path)

    assert problem(answer)[0] == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_session_of_a_browser_does_not_get_in(method: str, path: str, alice: User) -> None:
    browser = Client()
    browser.force_login(alice)

    assert problem(getattr(browser, method)(path))[0] == 401


def test_revoked_token_does_not_get_in(alice: User, api: Api) -> None:
    client = api(alice)
    tokens.revoke(ApiToken.objects.get(user=alice))

    assert problem(client.get("/api/v1/whoami"))[0] == 401


def test_body_that_is_no_json_is_a_problem(alice: User, api: Api) -> None:
    answer = api(alice).post("/api/v1/ghap/entries", b"{", content_type="application/json")

    assert problem(answer) == (
        422,
        "the body is not valid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    )


def test_body_of_the_wrong_form_names_the_field(alice: User, api: Api) -> None:
    answer = api(alice).post("/api/v1/ghap/entries", {"entries": "x"}, content_type="application/json")

    assert problem(answer) == (422, "entries: Input should be a valid list")


def test_nan_is_no_json(alice: User, api: Api) -> None:
    answer = api(alice).post("/api/v1/ghap/entries", b'{"entries": [NaN]}', content_type="application/json")

    assert problem(answer)[0] == 422


def test_body_that_is_too_large_is_a_problem(alice: User, api: Api, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = api(alice).post("/api/v1/ghap/entries", {"project": "x" * 2000}, content_type="application/json")

    assert problem(answer) == (413, "the request is larger than this server accepts; send smaller batches")


def test_unknown_address_below_the_api_is_a_problem(alice: User, api: Api) -> None:
    assert problem(api(alice).get("/api/v1/nothing"))[0] == 404


def test_nul_and_lone_surrogates_are_replaced_at_the_door(alice: User, api: Api) -> None:
    sent = json.dumps({"entries": [body(goal="a\x00b\ud83dc")]})

    answer = api(alice).post("/api/v1/ghap/entries", sent, content_type="application/json")

    from ghap.models import Entry

    assert answer.json() == {"results": [{"id": body()["id"], "status": "stored"}]}
    assert Entry.objects.get().goal == "a\ufffdb\ufffdc"


def test_error_of_ours_is_a_problem_that_says_nothing_of_the_inside(
    alice: User, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr("memoryserver.search.service.search", fail)

    assert problem(api(alice).get("/api/v1/search?q=x")) == (500, "internal server error; see the server log")


def test_documentation_page_loads_nothing_from_elsewhere(db: None) -> None:
    page = Client().get("/api/v1/docs").content.decode()

    assert "https://" not in page
    assert "http://" not in page
