"""The page of observer configurations; `pages` has those of sessions."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from memoryserver.accounts.models import User
from trajectory import configs
from trajectory.forms import ObserversForm, scopes_of


@require_http_methods(["GET", "POST"])
def observers_page(request: HttpRequest) -> HttpResponse:
    """Render the configuration of the scope in the query string (default: `user`); a POST stores its next version."""
    user = cast("User", request.user)
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
    context = {"form": form, "scopes": scopes, "scope": name, "current": row, "reach": configs.reach(scope)}
    context["may_change"] = configs.may_change(user, scope)
    return render(request, "trajectory/observers.html", context, status=422 if form.errors else 200)
