from __future__ import annotations

from typing import Any

from memoryserver.access import invitations
from memoryserver.access.models import Invitation
from memoryserver.access.signals import invitation_accepted, invitation_made
from memoryserver.accounts.models import User


def test_signals_are_sent_with_the_stored_invitation(alice: User) -> None:
    received: list[tuple[Any, ...]] = []

    def made(sender: Any, invitation: Invitation, by: User | None, **arguments: Any) -> None:
        received.append(("made", sender, invitation.pk is not None, by))

    def accepted(sender: Any, invitation: Invitation, user: User, **arguments: Any) -> None:
        received.append(("accepted", sender, invitation.accepted_at is not None, user))

    invitation_made.connect(made)
    invitation_accepted.connect(accepted)
    try:
        invitation, _ = invitations.make("eve@example.org", team=None, by=alice)
        invitations.accept(invitation, alice)
    finally:
        invitation_made.disconnect(made)
        invitation_accepted.disconnect(accepted)

    assert received == [("made", Invitation, True, alice), ("accepted", Invitation, True, alice)]
