"""The choice of the weekly mail on the profile page, and the link that ends it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from memoryserver.accounts.auth import SignedInRequest
from memoryserver.digest import subscriptions
from memoryserver.errors import InvalidInputError


@require_POST
def choose(request: SignedInRequest) -> HttpResponse:
    """Begin (`wanted=1`) or end the mail to the signed-in user, and show the profile page."""
    user = request.user
    if request.POST.get("wanted") != "1":
        subscriptions.unsubscribe(user)
        messages.success(request, "You get no weekly mail.")
        return redirect("profile")
    try:
        row = subscriptions.subscribe(user)
    except InvalidInputError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The next weekly mail comes on {timezone.localtime(row.due_at):%A, %Y-%m-%d}.")
    return redirect("profile")


@csrf_exempt  # the mail program posts to it; the key in the address is the permission
@login_not_required
@require_http_methods(["GET", "POST"])
def unsubscribe(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    """Ask whether to stop the mail, or stop it by a POST; nobody needs to sign in who has the link."""
    row = subscriptions.of_key(key)
    if request.method == "POST" and row is not None:
        subscriptions.unsubscribe(row.user)
        row = None
    return render(request, "digest/unsubscribe.html", {"subscription": row})
