"""Members of a team and their roles. A team that has had a lead keeps at least one."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from memoryserver.accounts import context_version
from memoryserver.accounts.models import Membership, Team, User
from memoryserver.accounts.signals import membership_changed
from memoryserver.accounts.visibility import led_teams

Role = Membership.Role


class MembershipError(ValueError):
    """The change is not possible; the text says why and what to do."""


@transaction.atomic
def add(team: Team, user: User, by: User, role: str = Role.MEMBER) -> Membership:
    """Add `user` to `team`; a member's role is not changed. Raises PermissionDenied unless `by` leads the team."""
    _lock(team, by)
    if not user.is_active:
        raise MembershipError(f"{user} cannot sign in, so they cannot be added to a team")
    membership, created = Membership.objects.get_or_create(team=team, user=user, defaults={"role": role})
    if created:
        membership_changed.send(Membership, team=team, user=user, role=membership.role, by=by)
    return membership


@transaction.atomic
def add_invited(team: Team, user: User, by: User | None) -> None:
    """Add `user`, who has accepted an invitation of `by`; a team without a lead gets one."""
    _lock(team, None)
    _, created = Membership.objects.get_or_create(team=team, user=user, defaults={"role": Role.MEMBER})
    if created:
        membership_changed.send(Membership, team=team, user=user, role=Role.MEMBER.value, by=by)
    appoint_missing_lead(team)


@transaction.atomic
def set_role(team: Team, user: User, role: str, by: User) -> None:
    """Give the member `user` the role. Raises PermissionDenied unless `by` leads the team, MembershipError."""
    _lock(team, by)
    membership = _membership(team, user)
    if membership.role == role:
        return
    if membership.role == Role.LEAD:
        _check_other_lead(team, user)
    membership.role = Role(role)
    membership.save(update_fields=["role"])
    membership_changed.send(Membership, team=team, user=user, role=membership.role, by=by)


@transaction.atomic
def remove(team: Team, user: User, by: User) -> None:
    """Remove `user` from `team`; their rows stay with the team's projects, and they keep seeing them.

    Everybody may leave; only a lead removes others. Raises PermissionDenied, MembershipError.
    """
    _lock(team, None if user == by else by)
    membership = _membership(team, user)
    if membership.role == Role.LEAD:
        _check_other_lead(team, user)
    membership.delete()
    context_version.advance(user, None)  # so that their laptops show no copies of the team's contexts
    membership_changed.send(Membership, team=team, user=user, role="", by=by)


def appoint_missing_lead(team: Team) -> None:
    """Make the member of longest standing a lead if `team` has none."""
    members = Membership.objects.filter(team=team).order_by("pk")
    if members.filter(role=Role.LEAD).exists():
        return
    if oldest := members.select_related("user").first():
        oldest.role = Role.LEAD
        oldest.save(update_fields=["role"])
        membership_changed.send(Membership, team=team, user=oldest.user, role=oldest.role, by=None)


def _lock(team: Team, lead: User | None) -> None:
    """Lock the members of `team`. Raises PermissionDenied if `lead` is given and does not lead it."""
    Team.objects.select_for_update().get(pk=team.pk)
    if lead is not None and not led_teams(lead).filter(pk=team.pk).exists():
        raise PermissionDenied("only a lead of the team may change its members")


def _membership(team: Team, user: User) -> Membership:
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        raise MembershipError(f"{user} is not in team {team}")
    return membership


def _check_other_lead(team: Team, user: User) -> None:
    if not Membership.objects.filter(team=team, role=Role.LEAD).exclude(user=user).exists():
        raise MembershipError(f"{user} is the only lead of team {team}; make somebody else a lead first")
