"""Invitations: a link by which one person makes an account. It is used once, expires, and may put them in a team."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from memoryserver.access.models import Invitation
from memoryserver.access.signals import invitation_accepted, invitation_made, invitation_withdrawn
from memoryserver.accounts import memberships
from memoryserver.accounts.digests import digest, digests
from memoryserver.accounts.models import Team, User
from memoryserver.accounts.visibility import led_teams

LIFETIME = timedelta(days=7)
_SESSION_KEY = "invitation"


class AlreadyMemberError(ValueError):
    """There is an account with this address already."""


def teams_for(user: User) -> QuerySet[Team]:
    """Return the teams that `user` may invite people to: the ones they lead, for administrators all."""
    return Team.objects.all() if user.is_staff else led_teams(user)


def may_invite(user: User) -> bool:
    """Return whether `user` may make invitations."""
    return user.is_staff or teams_for(user).exists()


def make(email: str, *, team: Team | None, by: User | None) -> tuple[Invitation, str]:
    """Store an invitation; return it and its key, which is not stored. Raises AlreadyMemberError."""
    if User.objects.filter(email__iexact=email).exists():
        raise AlreadyMemberError(f"{email} has an account already")
    key = secrets.token_hex(24)
    invitation = Invitation.objects.create(
        email=email, team=team, invited_by=by, digest=digest(f"invitation:{key}"), expires_at=timezone.now() + LIFETIME
    )
    invitation_made.send(Invitation, invitation=invitation, by=by)
    return invitation, key


def link(key: str, base: str) -> str:
    """Return the address of the invitation, on the server at `base`."""
    return base.rstrip("/") + reverse("invitation", args=[key])


def mail(invitation: Invitation, address: str) -> None:
    """Mail the link. Raises OSError or SMTPException (which is one)."""
    ends = invitation.expires_at.strftime("%Y-%m-%d")
    text = f"You are invited to memoryserver. Make your account until {ends}:\n\n{address}\n\nThe link works once.\n"
    send_mail("Your invitation to memoryserver", text, settings.DEFAULT_FROM_EMAIL, [invitation.email])


def open_invitations(user: User) -> QuerySet[Invitation]:
    """Return the invitations that were not accepted and have not expired, of the teams that `user` may invite to."""
    rows = _open().select_related("team", "invited_by")
    return rows if user.is_staff else rows.filter(team__in=teams_for(user))


def by_key(key: str) -> Invitation | None:
    """Return the open invitation with this key."""
    return _open().filter(digest__in=digests(f"invitation:{key}")).first()


def for_address(email: str, *, lock: bool = False) -> Invitation | None:
    """Return the open invitation of this address, the latest; with `lock` until the transaction ends."""
    rows = _open().filter(email__iexact=email)
    return (rows.select_for_update(of=["self"]) if lock else rows).first()


def withdraw(invitation: Invitation, by: User | None) -> None:
    """Delete an open invitation; its link opens nothing from then on."""
    with transaction.atomic():
        invitation_withdrawn.send(Invitation, invitation=invitation, by=by)
        invitation.delete()


def remember(request: HttpRequest, invitation: Invitation) -> None:
    """Let the session make an account by the invitation."""
    request.session[_SESSION_KEY] = invitation.pk


def of_session(request: HttpRequest) -> Invitation | None:
    """Return the open invitation whose link was followed in this session."""
    return _open().filter(pk=request.session.get(_SESSION_KEY, 0)).first()


def claim(request: HttpRequest) -> Invitation:
    """Return the session's invitation, locked until the transaction ends. Raises PermissionDenied if it is not open."""
    invitation = _open().select_for_update(of=["self"]).filter(pk=request.session.get(_SESSION_KEY, 0)).first()
    if invitation is None:
        raise PermissionDenied("the invitation was used already, was withdrawn, or has expired")
    return invitation


def accept(invitation: Invitation, user: User) -> None:
    """Use the invitation up, and put `user` in its team."""
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    if invitation.team is not None:
        memberships.add_invited(invitation.team, user, invitation.invited_by)
    invitation_accepted.send(Invitation, invitation=invitation, user=user)


def _open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(accepted_at=None, expires_at__gt=timezone.now())
