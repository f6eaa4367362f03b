"""Requests of one token are counted; what is too much is refused with when to come again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.limits.enforcement import RateLimitMiddleware, limit_rate
from memoryserver.limits.models import Counter

Api = Callable[[User | None], Client]


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr("memoryserver.limits.rates.time.time", lambda: 1_000_000 * 60 + 20.5)
    settings.REQUESTS_PER_MINUTE = 2


def limits_of(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith(("RateLimit", "Retry"))}


def test_requests_up_to_the_limit_say_what_is_left_and_the_next_is_refused(api: Api, alice: User) -> None:
    client = api(alice)
    answers = [client.get("/api/v1/whoami") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    limits = {"RateLimit-Limit": "2", "RateLimit-Reset": "39"}
    assert limits_of(answers[0]) == {**limits, "RateLimit-Remaining": "1"}
    assert limits_of(answers[2]) == {**limits, "RateLimit-Remaining": "0", "Retry-After": "39"}
    assert answers[2].json() == {
        "title": "Too Many Requests",
        "status": 429,
        "detail": "more than 2 requests within 60 seconds; try again in 39 s",
    }


def test_another_token_of_the_same_user_has_a_limit_of_its_own(api: Api, alice: User) -> None:
    busy, other = api(alice), api(alice)
    for _ in range(3):
        busy.get("/api/v1/whoami")

    assert other.get("/api/v1/whoami").status_code == 200


def test_limit_of_zero_counts_nothing(api: Api, alice: User, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 0

    assert limits_of(api(alice).get("/api/v1/whoami")) == {}
    assert not Counter.objects.exists()


def test_request_that_was_not_counted_gets_no_headers(db: None) -> None:
    def view(request: Any) -> HttpResponse:
        return HttpResponse("ok")

    assert limits_of(RateLimitMiddleware(view)(RequestFactory().get("/"))) == {}


def test_request_without_a_limit_is_never_refused(db: None) -> None:
    request = RequestFactory().get("/")
    for _ in range(5):
        limit_rate(request, "key", limit=0)

    assert not Counter.objects.exists()
