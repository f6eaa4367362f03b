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
    user = request.user
    scopes = scopes_of(user)
    name = request.GET.get("scope", "user")
    scope = scopes.get(name)
    if scope is None:
        raise Http404("user, team or project not found")
    row = configs.current(scope)
    form = ObserversForm(row.body if row else {}, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        version = configs.change(scope, form.body(), user).version
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
    user = request.user
    scopes = scopes_of(user)
    name = request.GET.get("scope", "user")
    scope = scopes.get(name)
    if scope is None:
        raise Http404("user, team or project not found")
    row = configs.current(scope)
    form = ObserversForm(row.body if row else {}, request.POST)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        context["preview"] = preview(user, scope, form.body())
    if request.htmx:
        return render(request, "trajectory/_preview.html", context)
    return _observers(request, scopes, name, row, form, preview=context.get("preview"))


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
