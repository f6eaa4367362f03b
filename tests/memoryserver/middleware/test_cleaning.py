"""NUL and other control characters in paths, queries, cookies and forms: nothing is found, and nothing fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.api import api as ninja_api
from memoryserver.middleware.cleaning import CleanTextMiddleware
from tests.support.requests.page_addresses import pages
from tests.support.rows.factories import UserFactory

Api = Callable[[User | None], Client]

HOSTILE = ["%00", "a%00b", "%0d%0a", "%ed%a0%80"]


def gets_of_the_api() -> list[tuple[str, list[str]]]:
    """Each GET of the API: its path with a stand-in for every parameter, and the names of its query parameters."""
    schema = ninja_api.get_openapi_schema()
    return [
        (path, [parameter["name"] for parameter in item["get"].get("parameters", []) if parameter["in"] == "query"])
        for path, item in schema["paths"].items()
        if "get" in item
    ]


def seen_by_a_view(path: str, **headers: str) -> HttpRequest:
    seen: list[HttpRequest] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse()

    CleanTextMiddleware(view)(RequestFactory(headers=headers).get(path))
    return seen[0]


def test_nul_in_path_query_and_cookie_is_replaced() -> None:
    request = seen_by_a_view("/a%00b/?x%00=1&y=2&y=%00&y=3", cookie='sessionid="\\000abc"')

    assert (request.path, request.path_info) == ("/a\ufffdb/", "/a\ufffdb/")
    assert dict(request.GET.lists()) == {"x\ufffd": ["1"], "y": ["2", "\ufffd", "3"]}
    assert request.COOKIES == {"sessionid": "\ufffdabc"}


def test_clean_query_stays_the_object_it_was() -> None:
    request = RequestFactory().get("/?q=%F0%9F%99%82")
    query = request.GET
    CleanTextMiddleware(lambda _: HttpResponse())(request)

    assert request.GET is query


def test_cleaned_query_cannot_be_changed_as_any_other() -> None:
    query: object = seen_by_a_view("/?q=%00").GET

    assert getattr(query, "_mutable", None) is False


def test_form_is_cleaned_before_the_view() -> None:
    request = RequestFactory().post("/", "name=a%00b", content_type="application/x-www-form-urlencoded")
    CleanTextMiddleware(lambda _: HttpResponse()).process_view(request, None, (), {})

    assert QueryDict("name=a%EF%BF%BDb") == request.POST


@pytest.mark.parametrize(("path", "parameters"), gets_of_the_api(), ids=lambda value: value if "/" in value else "")
def test_no_get_of_the_api_fails_for_a_control_character(
    path: str, parameters: list[str], api: Api, alice: User
) -> None:
    client = api(alice)
    client.raise_request_exception = False
    addresses = []
    for value in HOSTILE:
        addresses.append(path.replace("{session_id}", value).replace("{source}", "learnings").replace("{key}", value))
        plain = path.replace("{", "").replace("}", "")
        addresses += [f"{plain}?q=x&id=x/1&{name}={value}" for name in parameters]

    statuses = {address: client.get(address).status_code for address in addresses}

    assert {address: status for address, status in statuses.items() if status not in (200, 404, 422)} == {}


PARAMETERS = ["q", "project", "type", "cursor", "since"]
EACH_ALONE = [f"q=x&{name}=a%00b" for name in PARAMETERS]
ALL_AT_ONCE = ["&".join(f"{name}={value}" for name in PARAMETERS) for value in HOSTILE]


def test_no_page_fails_for_a_control_character_in_its_query(alice: User) -> None:
    together = statuses([f"{page}?{query}" for page in pages() for query in ALL_AT_ONCE], alice)
    # A page that has answered has read all of them. Another one may have looked no further than the first.
    unread = {address.partition("?")[0] for address, status in together.items() if status != 200}
    alone = statuses([f"{page}?{query}" for page in unread for query in EACH_ALONE], alice)

    assert failures(together | alone) == {}


def test_no_page_fails_for_a_control_character_in_its_path(alice: User) -> None:
    assert failures(statuses([f"{page}{value}/" for page in pages() for value in HOSTILE], alice)) == {}


def statuses(addresses: list[str], user: User) -> dict[str, int]:
    """The status by which each address answers `user`."""
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return {address: client.get(address).status_code for address in addresses}


def failures(answers: dict[str, int]) -> dict[str, int]:
    """Those that failed; /readyz may, where a part of the server is missing."""
    return {
        address: status for address, status in answers.items() if status >= 500 and not address.startswith("/readyz")
    }


@pytest.mark.parametrize("cookie", ['sessionid="\\000aaaaaaaaaa"', 'csrftoken="\\000"', 'messages="\\000"'])
def test_no_cookie_fails_a_page(cookie: str, db: None) -> None:
    answer = Client(raise_request_exception=False, headers={"cookie": cookie}).get("/search/")

    assert answer.status_code == 302


@pytest.mark.parametrize("field", ["login", "password", "next"])
def test_sign_in_with_a_nul_is_refused_and_not_a_failure(field: str, db: None) -> None:
    form = {"login": "alice", "password": "secret", "next": "/search/"} | {field: "a\x00b"}

    assert Client(raise_request_exception=False).post("/login/", form).status_code == 200


def test_action_of_the_admin_on_a_key_with_a_nul_is_no_failure(db: None) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))

    answer = client.post("/admin/django_q/failure/", {"action": "delete_selected", "_selected_action": "\x00"})

    assert answer.status_code < 500
