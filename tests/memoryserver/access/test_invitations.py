"""Invitations: one account for one link."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory
from django.utils import timezone

from memoryserver.access import invitations
from memoryserver.access.models import Invitation
from memoryserver.accounts.models import Membership, User
from tests.support.rows.factories import TeamFactory, UserFactory


def request_of(invitation: Invitation) -> object:
    request = RequestFactory().get("/")
    request.session = {}  # type: ignore[assignment]
    invitations.remember(request, invitation)
    return request


def test_key_finds_its_invitation_and_is_not_stored(db: None) -> None:
    invitation, key = invitations.make("eve@example.org", team=None, by=None)

    assert invitations.by_key(key) == invitation
    assert invitations.by_key(key[:-1] + ("0" if key[-1] != "0" else "1")) is None
    assert key not in str(Invitation.objects.values().get())


def test_invitation_stays_open_with_its_former_secret_key_as_fallback(db: None, settings) -> None:
    invitation, key = invitations.make("eve@example.org", team=None, by=None)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key, made for this test"

    assert invitations.by_key(key) == invitation


def test_expired_and_accepted_invitations_are_closed(alice: User) -> None:
    expired, first = invitations.make("eve@example.org", team=None, by=None)
    accepted, second = invitations.make("eva@example.org", team=None, by=None)
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    invitations.accept(accepted, alice)

    assert (invitations.by_key(first), invitations.by_key(second)) == (None, None)
    for invitation in (expired, accepted):
        with pytest.raises(PermissionDenied):
            invitations.claim(request_of(invitation))  # type: ignore[arg-type]


def test_accepting_puts_the_user_in_the_team(alice: User) -> None:
    team = TeamFactory(name="crew")
    invitation, _ = invitations.make("eve@example.org", team=team, by=None)

    invitations.accept(invitation, alice)

    assert list(alice.teams.all()) == [team]


def test_address_with_an_account_is_not_invited(db: None) -> None:
    UserFactory(email="Eve@example.org")

    with pytest.raises(invitations.AlreadyMemberError, match=r"^eve@example.org has an account already$"):
        invitations.make("eve@example.org", team=None, by=None)


def test_mail_has_the_link_and_goes_to_the_invited_address_alone(db: None) -> None:
    invitation, key = invitations.make("eve@example.org", team=None, by=None)
    address = invitations.link(key, "https://memory.example.org/")
    invitations.mail(invitation, address)

    assert address == f"https://memory.example.org/invitation/{key}/"
    (message,) = mail.outbox
    assert (message.to, address in message.body) == (["eve@example.org"], True)


def test_lead_invites_to_their_team_and_a_member_does_not(alice: User, bob: User) -> None:
    team = alice.teams.get()
    Membership.objects.filter(user=bob).update(role=Membership.Role.MEMBER)
    Membership.objects.filter(user=alice).update(role=Membership.Role.LEAD)
    invitation, _ = invitations.make("eve@example.org", team=team, by=alice)

    assert (invitations.may_invite(alice), invitations.may_invite(bob)) == (True, False)
    assert (list(invitations.teams_for(alice)), list(invitations.teams_for(bob))) == ([team], [])
    assert (list(invitations.open_invitations(alice)), list(invitations.open_invitations(bob))) == ([invitation], [])


def test_first_person_who_accepts_an_invitation_leads_a_team_without_a_lead(alice: User) -> None:
    team = TeamFactory(people=[])
    for user in (alice, UserFactory()):
        invitation, _ = invitations.make(f"{user.username}@example.org", team=team, by=None)
        invitations.accept(invitation, user)

    roles = list(Membership.objects.filter(team=team).order_by("pk").values_list("role", flat=True))
    assert roles == ["lead", "member"]


def test_only_administrators_invite_to_any_team_and_see_who_was_invited(alice: User) -> None:
    root = UserFactory(is_staff=True)
    team = TeamFactory()
    invitation, _ = invitations.make("eve@example.org", team=team, by=root)

    assert (invitations.may_invite(alice), invitations.may_invite(root)) == (False, True)
    assert (list(invitations.teams_for(alice)), list(invitations.teams_for(root))) == ([], [team])
    assert (list(invitations.open_invitations(alice)), list(invitations.open_invitations(root))) == ([], [invitation])
