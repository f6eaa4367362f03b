"""Pages of invitations: making them, and following their link."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryserver.access import invitations
from memoryserver.access.forms import InvitationForm
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.models import User

logger = logging.getLogger(__name__)


@never_cache
@require_http_methods(["GET", "POST"])
def invitation_page(request: SignedInRequest) -> HttpResponse:
    """Render the open invitations; a POST makes one, whose link is on the page of the response alone."""
    user = request.user
    if not invitations.may_invite(user):
        raise PermissionDenied("only those who lead a team, and administrators, invite people")
    form = InvitationForm(invitations.teams_for(user), request.POST if request.method == "POST" else None)
    address = ""
    if request.method == "POST" and form.is_valid():
        try:
            address = _invite(request, user, form)
        except invitations.AlreadyMemberError as error:
            form.add_error("email", str(error))
        else:
            form = InvitationForm(invitations.teams_for(user))
    context = {"form": form, "address": address, "invitations": invitations.open_invitations(user)}
    return render(request, "access/invitations.html", context, status=422 if form.errors else 200)


@require_POST
def withdraw(request: SignedInRequest, key: int) -> HttpResponse:
    """Delete an open invitation; its link opens nothing from then on."""
    user = request.user
    invitation = invitations.open_invitations(user).filter(pk=key).first()
    if invitation is None:
        raise Http404("invitation not found")
    invitations.withdraw(invitation, by=user)
    messages.success(request, f"The invitation of {invitation.email} is withdrawn.")
    return redirect("invitations")


@never_cache
@login_not_required
@require_GET
def follow(request: HttpRequest, key: str) -> HttpResponse:
    """Lead to the form for the account, or say that the link opens nothing (410)."""
    invitation = invitations.by_key(key)
    if invitation is None or request.user.is_authenticated:
        context = {"signed_in": request.user.is_authenticated}
        return render(request, "access/invitation_closed.html", context, status=200 if invitation else 410)
    invitations.remember(request, invitation)
    return redirect("account_signup")


def _invite(request: HttpRequest, user: User, form: InvitationForm) -> str:
    values = form.cleaned_data
    invitation, key = invitations.make(values["email"], team=values["team"], by=user)
    address = invitations.link(key, request.build_absolute_uri("/"))
    if values.get("mail"):
        try:
            invitations.mail(invitation, address)
            messages.success(request, f"The link was sent to {invitation.email}.")
        except (OSError, SMTPException):
            logger.exception("an invitation could not be mailed")
            messages.error(request, "The mail could not be sent; pass the link on yourself.")
    return address
