"""Errors keep their form: a problem below /api/, a page in the site's layout elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.problems import ErrorResponsesMiddleware
from tests.memoryserver.test_api import problem

Api = Callable[[User | None], Client]


def has_the_layout(answer: Any) -> bool:
    page = answer.content.decode()
    return 'class="brand"' in page and "memoryserver.css" in page and page.count("<main ") == 1


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("put", "/api/v1/ghap/entries", "GET, POST"),
        ("delete", "/api/v1/search", "GET"),
        ("patch", "/api/v1/learnings", "GET, POST"),
    ],
)
def test_wrong_method_of_the_api_is_a_problem_that_says_which_are_allowed(
    method: str, path: str, allowed: str, api: Api, alice: User
) -> None:
    answer = getattr(api(alice), method)(path)

    status, detail = problem(answer)
    assert (status, {*answer.headers["Allow"].split(", ")}) == (405, {*allowed.split(", ")})
    assert detail == f"{method.upper()} is not allowed at {path}; use {answer.headers['Allow']}"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"entries": [NaN]}', "NaN is not a JSON value; use null or a string"),
        (b"[-Infinity]", "-Infinity is not a JSON value; use null or a string"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b'{"a": ' + b"9" * 5000 + b"}", "an integer has 5000 digits; send it as a string"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'"\xff"', "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"),
    ],
    ids=["nan", "infinity", "truncated", "long integer", "nested", "not utf-8"],
)
def test_body_that_is_not_json_is_refused_with_what_is_wrong(body: bytes, reason: str, api: Api, alice: User) -> None:
    answer = api(alice).post("/api/v1/ghap/entries", body, content_type="application/json")

    assert problem(answer) == (422, f"the body is not valid JSON: {reason}")


def test_too_many_parameters_are_a_problem(api: Api, alice: User, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3

    status, detail = problem(api(alice).get("/api/v1/search?q=x&a=1&a=2&a=3"))

    assert (status, detail.split(",")[0]) == (400, "the request is malformed")


def test_host_that_is_not_served_is_a_problem(api: Api, alice: User) -> None:
    client = api(alice)

    assert problem(client.get("/api/v1/whoami", headers={"host": "evil.example"}))[0] == 400


def test_failure_outside_of_the_api_functions_is_a_problem(
    api: Api, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("secret of the inside")

    client = api(alice)
    client.raise_request_exception = False
    monkeypatch.setattr("memoryserver.middleware.compression._decompress", fail)

    answer = client.post("/api/v1/ghap/entries", b"x", "application/json", headers={"content-encoding": "gzip"})

    assert problem(answer) == (500, "internal server error; see the server log")


def test_status_and_headers_of_an_error_stay() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("<p>busy", status=503, headers={"Retry-After": "7", "Content-Length": "7"})

    answer = ErrorResponsesMiddleware(view)(RequestFactory().get("/api/v1/whoami"))

    assert json.loads(answer.content) == {
        "title": "Service Unavailable",
        "status": 503,
        "detail": "service unavailable",
    }
    assert dict(answer.headers) == {"Content-Type": "application/problem+json", "Retry-After": "7"}


@pytest.mark.parametrize(
    ("path", "status"), [("/nothing", 404), ("/learnings/1/change/", 405), ("/admin/nothing/", 404)]
)
def test_error_of_a_page_has_the_layout_of_the_site(path: str, status: int, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client = Client()
    client.force_login(alice)
    answer = client.get(path)

    assert (answer.status_code, has_the_layout(answer)) == (status, True)


def test_refused_page_has_the_layout_of_the_site(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionDenied

    client = Client()
    client.force_login(alice)
    monkeypatch.setattr("capture.learnings.get", refuse)
    answer = client.get("/learnings/1/")

    assert (answer.status_code, has_the_layout(answer)) == (403, True)


def test_page_that_fails_has_the_layout_and_says_nothing_of_the_inside(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret of the inside")

    client = Client(raise_request_exception=False)
    client.force_login(alice)
    monkeypatch.setattr("capture.learnings.get", fail)
    answer = client.get("/learnings/1/")

    assert (answer.status_code, has_the_layout(answer), b"secret" in answer.content) == (500, True, False)


def test_form_of_another_session_is_refused_in_the_layout_of_the_site(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    answer = client.post("/learnings/1/change/", {"pinned": "1"})

    assert (answer.status_code, has_the_layout(answer), b"out of date" in answer.content) == (403, True, True)


def test_address_with_too_many_fields_has_the_layout_of_the_site(db: None, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 1
    answer = Client().get("/login/?a=1&a=2")

    assert (answer.status_code, has_the_layout(answer)) == (400, True)
