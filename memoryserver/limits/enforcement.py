"""Rate limits of the API's requests: a 429 with Retry-After, and headers that say how much is left."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from memoryserver.limits import rates
from memoryserver.problems import Problem

MINUTE = 60
_USAGE = "memoryserver.rate_limit"  # the key of the request's META


def limit_rate(request: HttpRequest, key: str, *, limit: int) -> None:
    """Count the request for `key` in this minute; a `limit` of 0 sets none. Raises Problem (429) above it."""
    if not limit:
        return
    usage = request.META[_USAGE] = rates.count(key, limit=limit, seconds=MINUTE)
    if usage.exceeded:
        raise Problem(429, f"more than {limit} requests within {MINUTE} seconds; try again in {usage.reset} s")


class RateLimitMiddleware:
    """Add `RateLimit-Limit`, `-Remaining` and `-Reset` to the response, and `Retry-After` to a 429."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the headers if the request was counted."""
        response = self._get_response(request)
        usage: rates.Usage | None = request.META.get(_USAGE)
        if usage is not None:
            response.headers["RateLimit-Limit"] = str(usage.limit)
            response.headers["RateLimit-Remaining"] = str(usage.remaining)
            response.headers["RateLimit-Reset"] = str(usage.reset)
            if response.status_code == 429:
                response.headers["Retry-After"] = str(usage.reset)
        return response
