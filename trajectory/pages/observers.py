"""The page of observer configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from memoryserver.accounts.auth import SignedInRequest
from memoryserver.pages.fragments import HtmxHttpRequest
from trajectory import configs
from trajectory.forms import ObserversForm, scopes_of
from trajectory.models import ObserverConfig
from trajectory.preview import preview


@require_http_methods(["GET", "POST"])
def observers_page(request: SignedInRequest) -> HttpResponse:
    """Render the configuration of the scope in the query string (default: `user`); a POST stores its next version."""
    scopes, name = _scopes(request)
    row = configs.current(scopes[name])
    form = ObserversForm(row.body if row else {}, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        version = configs.change(scopes[name], form.body(), request.user).version
        messages.success(
            request,
            f"Version {version} is saved. On this server it is in effect from the next tool call on, on a laptop after "
            "its next sync.",
        )
        return redirect(f"{request.path}?scope={name}")
    return _observers(request, scopes, name, row, form)


@require_POST
def observers_preview(request: HtmxHttpRequest) -> HttpResponse:
    """Render what the entered configuration would have told in the latest sessions; nothing is stored.

    For htmx the preview alone, else the page with the entered configuration.
    """
    scopes, name = _scopes(request)
    row = configs.current(scopes[name])
    form = ObserversForm(row.body if row else {}, request.POST)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        context["preview"] = preview(request.user, scopes[name], form.body())
    if request.htmx:
        return render(request, "trajectory/_preview.html", context)
    return _observers(request, scopes, name, row, form, preview=context.get("preview"))


def _scopes(request: SignedInRequest) -> tuple[Mapping[str, configs.Scope], str]:
    """Return what the user may configure, and the name there of what the query string chooses. Raises Http404."""
    scopes, name = scopes_of(request.user), request.GET.get("scope", "user")
    if name not in scopes:
        raise Http404("user, team or project not found")
    return scopes, name


def _observers(
    request: SignedInRequest,
    scopes: Mapping[str, configs.Scope],
    name: str,
    current: ObserverConfig | None,
    form: ObserversForm,
    **more: Any,
) -> HttpResponse:
    context = {
        "form": form,
        "scopes": scopes,
        "scope": name,
        "current": current,
        "reach": configs.reach(scopes[name]),
        "may_change": configs.may_change(request.user, scopes[name]),
    }
    return render(request, "trajectory/observers.html", context | more, status=422 if form.errors else 200)
