"""Middleware of the pages, which the API does without: session, sign-in, messages and time zone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth import middleware as auth
from django.contrib.auth.views import redirect_to_login
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from memoryserver.accounts.models import User
from memoryserver.accounts.time_zones import zone_of


class _PagesOnly(MiddlewareMixin):
    """Middleware that the API does without: who calls it is said by a token alone, and nothing is shown later."""

    def __call__(self, request: HttpRequest) -> Any:
        """Pass a request of the API on."""
        return self.get_response(request) if request.path.startswith("/api/") else super().__call__(request)


class SessionMiddleware(_PagesOnly, sessions.SessionMiddleware):
    """Django's, for pages alone."""


class AuthenticationMiddleware(_PagesOnly, auth.AuthenticationMiddleware):
    """Django's, for pages alone; the API's own authentication sets the user."""


class MessageMiddleware(_PagesOnly, messages.MessageMiddleware):
    """Django's, for pages alone."""


class TimeZoneMiddleware:
    """Show times and days in the zone that the signed-in person has chosen, if any; else scripts do, in the browser's.

    `request.time_zone` is its name then. Pages for everybody, such as the sign-in page, stay in UTC.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and leave no zone behind for the thread's next request; the API sets none."""
        if request.path.startswith("/api/"):
            return self._get_response(request)
        try:
            return self._get_response(request)
        finally:
            timezone.deactivate()

    def process_view(self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any) -> None:
        """Begin with the person's zone."""
        if request.path.startswith("/api/") or not getattr(view_func, "login_required", True):
            return
        if isinstance(request.user, User) and request.user.time_zone:
            timezone.activate(zone_of(request.user))
            request.time_zone = request.user.time_zone  # type: ignore[attr-defined]


class SignInRequiredMiddleware(auth.LoginRequiredMiddleware):
    """Require a signed-in user for every view that is not marked with `login_not_required`.

    The API authenticates by itself. After signing in the user sees the page they were on: not the address of a fragment
    or of a form.
    """

    def process_view(self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any) -> Any:
        """Return the response for a signed-out user, or None."""
        if request.path.startswith("/api/"):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]  # the stub allows no response but the redirect of its own class
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponse:
        """Redirect to the sign-in page; htmx is told to load it as a page instead of swapping it into this one."""
        redirect = redirect_to_login(_page_of(request), resolve_url(self.get_login_url(view_func)))
        if getattr(request, "htmx", False):
            return HttpResponseClientRedirect(redirect.url)
        return redirect


def _page_of(request: HttpRequest) -> str:
    """Return the path and query of the page that the user is on."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    if htmx:
        return htmx.current_url_abs_path or "/"
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    referrer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referrer, {request.get_host()}):
        return "/"
    parts = urlsplit(referrer)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
