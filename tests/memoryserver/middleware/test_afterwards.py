"""What is done after an answer was sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import structlog
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.inquiries.models import Inquiry
from memoryserver.middleware.afterwards import AfterAnswerMiddleware, after_answer

Api = Callable[[User | None], Client]


class Closing(HttpResponse):
    """Tells when it is closed."""

    def __init__(self, events: list[str]) -> None:
        super().__init__()
        self._events = events

    def close(self) -> None:
        self._events.append("closed")


class CountingMiddleware:
    """Notes in the answer how many inquiries are recorded by then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers["X-Recorded"] = str(Inquiry.objects.count())
        return response


def answered(events: list[str], work: Callable[[], None]) -> HttpResponse:
    def view(request: HttpRequest) -> HttpResponse:
        after_answer(request, work)
        return Closing(events)

    request = RequestFactory().get("/")
    request.META["REQUEST_ID"] = "build-1234"
    return AfterAnswerMiddleware(view)(request)


def test_work_is_done_when_the_response_is_closed() -> None:
    events: list[str] = []
    response = answered(events, lambda: events.append(structlog.contextvars.get_contextvars()["request_id"]))
    before = list(events)
    response.close()

    assert (before, events) == ([], ["build-1234", "closed"])


def test_work_that_fails_is_logged_and_the_response_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise RuntimeError("no room")

    events: list[str] = []
    answered(events, fail).close()

    assert events == ["closed"]
    assert [record.message for record in caplog.records] == ["the work after an answer failed"]


def test_search_is_recorded_after_its_answer(alice: User, api: Api, settings: Any) -> None:
    settings.MIDDLEWARE = [f"{__name__}.CountingMiddleware", *settings.MIDDLEWARE]

    answer = api(alice).get("/api/v1/search?q=backup&mode=lexical")

    assert (answer.status_code, answer.headers["X-Recorded"], Inquiry.objects.count()) == (200, "0", 1)
