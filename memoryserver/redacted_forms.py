"""Middleware that redacts what the forms of pages and of the admin send, before any view sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict

from memoryserver.common.redaction import redact

_KEPT = "csrfmiddlewaretoken"
GetResponse = Callable[[HttpRequest], HttpResponse]


class RedactedFormsMiddleware:
    """Redact every text of `request.POST`, except for passwords and the CSRF token.

    The API has its own place for that, its parser, and reads the body itself.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Call the next middleware: the form is not parsed yet."""
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: dict[str, Any]) -> None:
        """Replace the form's texts. The CSRF middleware has parsed it by now, with its errors."""
        if request.method == "POST" and not request.path.startswith("/api/"):
            request.POST = redacted_form(request.POST)  # type: ignore[assignment]  # any QueryDict will do


def redacted_form(form: QueryDict) -> QueryDict:
    """Return `form` with its texts redacted; the same object if nothing changes."""
    result = form.copy()
    for name, values in form.lists():
        if name != _KEPT and "password" not in name.lower():
            result.setlist(name, [redact(value).text for value in values])
    return form if result == form else result
