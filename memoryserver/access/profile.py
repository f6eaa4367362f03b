"""The page about the signed-in person: who they are here, and where the rest of their account is."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.digest.models import Subscription


@require_GET
def profile_page(request: HttpRequest) -> HttpResponse:
    """Render the name, the address, the teams with the role in each, and the number of projects, tokens and laptops."""
    user = cast("User", request.user)
    context = {
        "memberships": user.membership_set.select_related("team").order_by("team__name"),
        "projects": visible_projects(user).count(),
        "tokens": sum(token.state == "active" for token in user.api_tokens.all()),
        "laptops": user.laptops.count(),
        "digest": Subscription.objects.filter(user=user).first(),
    }
    return render(request, "access/profile.html", context)
