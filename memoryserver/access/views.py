"""Pages of a user's tokens, and of the device flow: what `memory login` opens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryserver import __version__, keyset
from memoryserver.access import device, laptops
from memoryserver.access.forms import CodeForm, TokenForm
from memoryserver.access.models import DeviceGrant
from memoryserver.accounts import tokens
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.scopes import Scope
from memoryserver.joining.address import join_line, join_line_for_windows, server_address
from memoryserver.limits import rates
from memoryserver.pages.fragments import HtmxHttpRequest

SHOWN_LAPTOPS = 100
CODES_PER_MINUTE = 10  # that one user may try


@never_cache
@require_http_methods(["GET", "POST"])
def token_page(request: SignedInRequest) -> HttpResponse:
    """Render the user's tokens; a POST makes one, whose text is on the page of the response alone."""
    user = request.user
    form = TokenForm(request.POST if request.method == "POST" else None)
    text = ""
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        _, text = tokens.issue(user, values["name"], scopes=values["scopes"], expires_at=form.expires_at(), by=user)
        form = TokenForm()
    context = {
        "form": form,
        "text": text,
        "address": server_address(request),
        "lines": _join_lines(request),
        "tokens": sorted(user.api_tokens.all(), key=lambda token: token.state != "active"),
    }
    return render(request, "access/tokens.html", context, status=422 if form.errors else 200)


@require_POST
def revoke_token(request: SignedInRequest, key: int) -> HttpResponse:
    """Revoke a token of the user's; it is refused from the next request on."""
    token = ApiToken.objects.filter(pk=key, user=request.user).first()
    if token is None:
        raise Http404("token not found")
    tokens.revoke(token, by=token.user)
    messages.success(request, f"{token.name} is revoked.")
    return redirect("tokens")


@require_GET
def laptop_page(request: HtmxHttpRequest) -> HttpResponse:
    """Render the laptops that the user may see, each with whether its client is too old."""
    page = keyset.page_of(
        laptops.visible(request.user),
        ("-seen_at", "-pk"),
        limit=SHOWN_LAPTOPS,
        cursor=request.GET.get("cursor", ""),
    )
    rows = [(laptop, laptops.is_too_old(laptop.version)) for laptop in page.rows]
    further = request.htmx and "cursor" in request.GET
    context: dict[str, Any] = {"laptops": rows, "next_cursor": page.next_cursor, "lines": _join_lines(request)}
    context |= {"has_too_old": any(is_too_old for _, is_too_old in rows), "server_version": __version__}
    return render(request, f"access/{'_laptops' if further else 'laptops'}.html", context)


def _join_lines(request: HttpRequest) -> dict[str, str]:
    return {"Linux, macOS": join_line(request), "Windows (PowerShell)": join_line_for_windows(request)}


@never_cache
@require_http_methods(["GET", "POST"])
def device_page(request: SignedInRequest) -> HttpResponse:
    """Ask for the code, show which client asks for what, and let the user allow or deny it.

    A code in the address is filled in and nothing more: who was sent a link must still compare it with their terminal.
    """
    user = request.user
    if request.method == "GET":
        return render(request, "access/device.html", {"form": CodeForm(initial={"code": request.GET.get("code", "")})})
    if rates.count(f"user-code:{user.pk}", limit=CODES_PER_MINUTE, seconds=60).exceeded:
        form = CodeForm(request.POST)
        form.add_error(None, "Too many codes were tried. Wait a minute.")
        return render(request, "access/device.html", {"form": form}, status=429)
    form = CodeForm(request.POST)
    if not form.is_valid():
        return render(request, "access/device.html", {"form": form}, status=422)
    try:
        return _decide(request, user, form.cleaned_data["code"])
    except device.NoGrantError:
        form.add_error("code", "No request waits under this code. It is mistyped, or older than ten minutes.")
        return render(request, "access/device.html", {"form": form}, status=422)


def _decide(request: HttpRequest, user: User, code: str) -> HttpResponse:
    """Render the request under `code` or, if the form says so, allow or deny it. Raises NoGrantError."""
    decision = request.POST.get("decision")
    if decision not in ("allow", "deny"):
        return render(request, "access/device_confirm.html", _about(device.waiting(code)))
    grant = device.decide(user, code, allow=decision == "allow")
    return render(request, "access/device_done.html", {"grant": grant})


def _about(grant: DeviceGrant) -> dict[str, Any]:
    return {"grant": grant, "scopes": [Scope(name) for name in grant.scopes]}
