"""Whole pages and fragments under one address.

A page's template extends `base_template`: the site's layout or, for a request of htmx, only its title and results. The
browser keeps both apart by the Vary header, and gets the whole page when it goes back.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from memoryserver.accounts.auth import SignedInRequest


class HtmxHttpRequest(SignedInRequest):
    """The request of a page with htmx details; `htmx` is false if the whole page is requested."""

    htmx: HtmxDetails


def base_template(request: HttpRequest) -> dict[str, str]:
    """Return the template that a page extends (a context processor)."""
    fragment = bool(getattr(request, "htmx", False))
    return {"base_template": f"memoryserver/{'fragment' if fragment else 'base'}.html"}


class FragmentsMiddleware:
    """Make sure that no browser shows a fragment as a page. It comes before the middleware of django-htmx."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Treat a request of htmx that restores the history as that of a whole page, and set Vary."""
        if request.headers.get("HX-History-Restore-Request") == "true":
            request.META.pop("HTTP_HX_REQUEST", None)
            request.__dict__.pop("headers", None)  # a cached view of META
        response = self._get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request"])
        return response
