"""What a team sees of each other's questions on the home page: how many, never which."""

from __future__ import annotations

from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import PageScope
from memoryserver.inquiries.home import cards
from memoryserver.inquiries.models import Inquiry


def card(user: User) -> dict[str, object]:
    return dict(cards(PageScope(user, "", 7, timezone.now()))[0].context)


def test_team_sees_counts_by_person_and_kind(alice: User, bob: User, charlie: User, shared_project: Project) -> None:
    for user, kind, project in (
        (alice, "search", shared_project),
        (alice, "open", shared_project),
        (bob, "search", shared_project),
        (bob, "search", None),
    ):
        Inquiry.objects.create(user=user, kind=kind, way="agent", project=project, words="secret plans", found=1)

    assert card(alice) == {
        "kinds": [("Search", 2), ("documents in full", 1)],
        "people": [("alice", 2), ("bob", 1)],
        "days": 7,
    }
    assert (card(bob)["people"], card(charlie)["people"]) == ([("alice", 2), ("bob", 2)], [])
    assert "secret plans" not in str(cards(PageScope(bob, "", 7, timezone.now())))
