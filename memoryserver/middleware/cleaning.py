"""Cleaning of the texts of a request that are not JSON: its path, query, cookies and form."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError

from memoryserver.common.text import clean
from memoryserver.middleware.redacted_forms import redacted_form

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class CleanTextMiddleware:
    """Replace NUL, which Postgres rejects, and lone surrogates by U+FFFD before a view or the session sees them.

    `memoryserver.parsing` does the same for JSON bodies.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Clean path, query and cookies, then call the next middleware."""
        request.path, request.path_info = clean(request.path), clean(request.path_info)
        request.GET = _clean_values(request.GET)  # type: ignore[assignment]  # the stub's type is of the immutable class
        if any(clean(value) != value for value in request.COOKIES.values()):
            request.COOKIES = {name: clean(value) for name, value in request.COOKIES.items()}
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: dict[str, Any]) -> None:
        """Clean and redact the form, if it can be read; the API has none."""
        if request.method == "POST" and request.content_type in _FORMS and not request.path.startswith("/api/"):
            with suppress(UnreadablePostError):  # the connection broke; the CSRF middleware refuses the request
                request.POST = redacted_form(_clean_values(request.POST))  # type: ignore[assignment]


def _clean_values(values: QueryDict) -> QueryDict:
    """Return `values` itself if it is clean, else an immutable copy with clean names and values."""
    pairs = [(name, value) for name, several in values.lists() for value in several]
    if all(clean(name) == name and clean(value) == value for name, value in pairs):
        return values
    cleaned = QueryDict(mutable=True, encoding=values.encoding)
    for name, value in pairs:
        cleaned.appendlist(clean(name), clean(value))
    cleaned._mutable = False
    return cleaned
