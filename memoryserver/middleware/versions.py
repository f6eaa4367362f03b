"""Middleware of the API: the versions that each response names."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from memoryserver import __version__
from memoryserver.common.protocol import CONTEXT_VERSION_HEADER, VERSION_HEADER


class VersionMiddleware:
    """Add the server's version to every response of the API, and the version of the user's contexts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the headers on the response."""
        response = self._get_response(request)
        if request.path.startswith("/api/"):
            response.headers[VERSION_HEADER] = __version__
            if getattr(request, "auth", None):  # else there is a session's user at most, or none
                response.headers[CONTEXT_VERSION_HEADER] = str(request.user.context_version)  # type: ignore[union-attr]
        return response
