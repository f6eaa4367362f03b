"""Content-Security-Policy of the pages."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_OWN = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Swagger's page (the API documentation) starts from an inline script.
_DOCUMENTATION = _OWN.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)


class ContentSecurityPolicyMiddleware:
    """Set a Content-Security-Policy that allows our own files only: no inline script or style."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the header on the response unless the view has set one."""
        response = self._get_response(request)
        policy = _DOCUMENTATION if request.path.endswith("/api/v1/docs") else _OWN
        response.headers.setdefault("Content-Security-Policy", policy)
        return response
