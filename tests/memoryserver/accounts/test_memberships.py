"""Leads manage the members of their team; a team keeps a lead."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from memoryserver.accounts import memberships
from memoryserver.accounts.memberships import MembershipError, Role
from memoryserver.accounts.models import Membership, Team, User


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


def roles(team: Team) -> dict[str, str]:
    return dict(Membership.objects.filter(team=team).order_by("pk").values_list("user__username", "role"))


def test_lead_adds_promotes_and_removes(alice: User, bob: User, charlie: User, crew: Team) -> None:
    memberships.add(crew, charlie, alice)
    memberships.set_role(crew, bob, Role.LEAD, alice)
    assert roles(crew) == {"alice": "lead", "bob": "lead", "charlie": "member"}
    memberships.remove(crew, charlie, bob)
    memberships.set_role(crew, alice, Role.MEMBER, alice)
    assert roles(crew) == {"alice": "member", "bob": "lead"}


def test_adding_a_member_again_keeps_their_role(alice: User, bob: User, crew: Team) -> None:
    memberships.add(crew, alice, alice)
    assert roles(crew) == {"alice": "lead", "bob": "member"}


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_others_change_nobody_but_leave_themselves(alice: User, bob: User, charlie: User, crew: Team, who: str) -> None:
    by = User.objects.get(username=who)
    for change in (
        lambda: memberships.add(crew, charlie, by),
        lambda: memberships.set_role(crew, bob, Role.LEAD, by),
        lambda: memberships.remove(crew, alice, by),
    ):
        with pytest.raises(PermissionDenied):
            change()
    assert roles(crew) == {"alice": "lead", "bob": "member"}
    memberships.remove(crew, bob, bob)
    assert roles(crew) == {"alice": "lead"}


def test_only_lead_neither_leaves_nor_steps_down(alice: User, crew: Team) -> None:
    for change in (
        lambda: memberships.remove(crew, alice, alice),
        lambda: memberships.set_role(crew, alice, Role.MEMBER, alice),
    ):
        with pytest.raises(MembershipError, match="alice is the only lead of team crew; make somebody else a lead"):
            change()
    assert roles(crew) == {"alice": "lead", "bob": "member"}


def test_people_without_access_and_people_of_other_teams_are_errors(alice: User, charlie: User, crew: Team) -> None:
    with pytest.raises(MembershipError, match="charlie is not in team crew"):
        memberships.remove(crew, charlie, alice)
    charlie.is_active = False
    with pytest.raises(MembershipError, match="charlie cannot sign in"):
        memberships.add(crew, charlie, alice)


def test_laptops_of_who_is_removed_get_new_contexts(alice: User, bob: User, crew: Team) -> None:
    memberships.remove(crew, bob, alice)
    assert [User.objects.get(pk=user.pk).context_version for user in (alice, bob)] == [0, 1]


def test_team_without_a_lead_gets_its_oldest_member(alice: User, bob: User, crew: Team) -> None:
    Membership.objects.filter(user=alice).delete()
    for _ in range(2):
        memberships.appoint_missing_lead(crew)
        assert roles(crew) == {"bob": "lead"}
