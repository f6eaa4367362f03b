"""The page about the signed-in person: who they are here, and where the rest of their account is."""

from __future__ import annotations

from allauth.account import views as account_views
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from memoryserver.access.forms import NameForm
from memoryserver.accounts import time_zones
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.digest import subscriptions
from memoryserver.digest.models import Subscription


@require_GET
def profile_page(request: SignedInRequest) -> HttpResponse:
    """Render the name, the address, the teams with the role in each, and the number of projects, tokens and laptops."""
    user = request.user
    context = {
        "memberships": user.membership_set.select_related("team").order_by("team__name"),
        "projects": visible_projects(user).count(),
        "tokens": sum(token.state == "active" for token in user.api_tokens.all()),
        "laptops": user.laptops.count(),
        "form": NameForm(instance=user),
        "digest": Subscription.objects.filter(user=user).first(),
        "time_zones": time_zones.names(),
    }
    return render(request, "access/profile.html", context)


@require_POST
def change_name(request: SignedInRequest) -> HttpResponse:
    """Store the person's name and show the profile page; a mistake is said there."""
    form = NameForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved.")
    else:
        messages.error(request, "; ".join(str(text) for errors in form.errors.values() for text in errors))
    return redirect("profile")


@require_POST
def change_time_zone(request: SignedInRequest) -> HttpResponse:
    """Store the zone of the person's pages, "" for the browser's, and show the profile page, with any mistake."""
    user, name = request.user, request.POST.get("time_zone", "")
    if name and name not in time_zones.names():
        messages.error(request, "There is no such time zone; choose one of the list.")
    else:
        user.time_zone = name
        user.save(update_fields=["time_zone"])
        subscriptions.put_off(user)
        messages.success(request, "Saved.")
    return redirect("profile")


def address_page(request: HttpRequest) -> HttpResponse:
    """Render django-allauth's page on which a person changes their address; it changes once its link was followed.

    An address that an invitation or an administrator gave counts as followed already. Else it would be gone as soon as
    another one is entered.
    """
    user = request.user
    if isinstance(user, User) and user.email:
        taken = EmailAddress.objects.filter(email__iexact=user.email, verified=True)
        if not taken.exists():
            known = {"verified": True, "primary": True}
            EmailAddress.objects.update_or_create(user=user, email=user.email.lower(), defaults=known)
    response: HttpResponse = account_views.email(request)
    return response
