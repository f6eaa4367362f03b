"""Every kind of exception below an API, as its client sees it."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Annotated, Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest
from django.test import Client
from django.urls import path
from ninja import NinjaAPI, Query, Schema
from ninja.errors import AuthenticationError, HttpError

from memoryserver import problems
from memoryserver.problems import Problem

EXCEPTIONS: dict[str, Exception] = {
    "problem": Problem(409, "two at once", id="a1", retry=True),
    "model": ValidationError(["too long", "too odd"]),
    "token": AuthenticationError(),
    "permission": PermissionDenied("only the owner may do that"),
    "permission-without-reason": PermissionDenied(),
    "missing": Http404("no such entry"),
    "missing-without-reason": Http404(),
    "large": RequestDataTooBig(),
    "teapot": HttpError(418, "short and stout"),
    "unexpected": RuntimeError("the password is 1234"),
}

api = NinjaAPI(urls_namespace="tests-of-problems")
problems.install(api)


class Entry(Schema):
    """An item of a request."""

    id: int


class Entries(Schema):
    """A request."""

    entries: list[Entry]


@api.get("/raise/{name}")
def raise_named(request: HttpRequest, name: str) -> None:
    """Raise the exception of this name."""
    raise EXCEPTIONS[name]


@api.post("/entries")
def entries(request: HttpRequest, body: Entries, limit: Annotated[int, Query()] = 1) -> None:
    """Accept anything valid."""


urlpatterns = [path("api/", api.urls)]


@pytest.fixture
def client(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


def problem(response: Any) -> dict[str, Any]:
    """The problem of a response, whose status the response has too."""
    assert response.headers["Content-Type"] == "application/problem+json"
    content: dict[str, Any] = json.loads(response.content)
    assert content["status"] == response.status_code
    return content


@pytest.mark.parametrize(
    ("name", "status", "detail"),
    [
        ("model", 422, "too long; too odd"),
        ("permission", 403, "only the owner may do that"),
        ("permission-without-reason", 403, "permission denied"),
        ("missing", 404, "no such entry"),
        ("missing-without-reason", 404, "not found"),
        ("large", 413, "the request is larger than this server accepts; send smaller batches"),
        ("teapot", 418, "short and stout"),
        ("unexpected", 500, "internal server error; see the server log"),
    ],
)
def test_exception_becomes_a_problem(client: Client, name: str, status: int, detail: str) -> None:
    answer = client.get(f"/api/raise/{name}")
    content = problem(answer)

    assert content.pop("request_id", None) == (answer.headers["X-Request-ID"] if status == 500 else None)
    assert content == {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}


def test_problem_keeps_its_extra_members(client: Client) -> None:
    assert problem(client.get("/api/raise/problem")) == {
        "title": "Conflict",
        "status": 409,
        "detail": "two at once",
        "id": "a1",
        "retry": True,
    }


def test_missing_token_says_how_to_send_one(client: Client) -> None:
    response = client.get("/api/raise/token")

    assert problem(response)["detail"].endswith("send it as: Authorization: Bearer msv_…")
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_invalid_body_names_each_field(client: Client) -> None:
    body = {"entries": [{"id": 1}, {"id": "x"}, {}]}

    content = problem(client.post("/api/entries", body, content_type="application/json"))

    assert content["status"] == 422
    assert content["detail"] == f"{content['errors'][0]['where']}: {content['errors'][0]['what']}"
    assert [error["where"] for error in content["errors"]] == ["entries.1.id", "entries.2.id"]
    assert content["errors"][1]["what"] == "Field required"


def test_invalid_query_names_its_parameter(client: Client) -> None:
    content = problem(client.post("/api/entries?limit=x", {"entries": []}, content_type="application/json"))

    assert (content["status"], [error["where"] for error in content["errors"]]) == (422, ["limit"])


def test_body_that_is_not_json_is_a_422_which_clients_halve_their_batch_for(client: Client) -> None:
    assert problem(client.post("/api/entries", b"{", content_type="application/json"))["status"] == 422


def test_unexpected_error_is_in_the_log_alone(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    response = client.get("/api/raise/unexpected")

    (record,) = [record for record in caplog.records if record.name == "memoryserver.problems"]
    assert record.exc_info is not None
    assert (record.getMessage(), record.exc_info[1]) == ("request failed", EXCEPTIONS["unexpected"])
    assert "1234" not in response.content.decode()


def test_unknown_address_below_the_api_is_a_problem_and_elsewhere_a_page(db: None) -> None:
    below, elsewhere = Client().get("/api/nothing"), Client().get("/nothing")

    assert problem(below)["detail"] == "there is no API endpoint at /api/nothing; see /api/v1/docs"
    assert (elsewhere.status_code, elsewhere.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
