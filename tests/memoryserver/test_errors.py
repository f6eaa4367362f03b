"""Input that a service refuses is answered by the reason, or by the page of a bad request; no view does that."""

from __future__ import annotations

import json

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from ninja import NinjaAPI

from memoryserver import problems
from memoryserver.errors import InvalidInputError
from memoryserver.urls import urlpatterns as pages

api = NinjaAPI(urls_namespace="tests-of-errors")
problems.install(api)


@api.get("/entries")
def entries(request: HttpRequest) -> None:
    """Refuse the limit."""
    raise InvalidInputError("limit: must be from 1 to 100")


def page(request: HttpRequest) -> HttpResponse:
    """Refuse the limit."""
    raise InvalidInputError("limit: must be from 1 to 100")


page.login_required = False  # type: ignore[attr-defined]
urlpatterns = [path("api/", api.urls), path("entries/", page), *pages]


@pytest.mark.urls(__name__)
def test_endpoint_that_refuses_input_answers_422_with_the_reason(client: Client) -> None:
    response = client.get("/api/entries")
    assert (response.status_code, response.headers["Content-Type"]) == (422, problems.MEDIA_TYPE)
    assert json.loads(response.content)["detail"] == "limit: must be from 1 to 100"


@pytest.mark.urls(__name__)
def test_page_that_refuses_input_is_a_bad_request(client: Client) -> None:
    assert client.get("/entries/").status_code == 400


def test_refused_input_is_caught_as_a_value_error() -> None:
    with pytest.raises(ValueError, match="^limit"):
        raise InvalidInputError("limit: must be from 1 to 100")
