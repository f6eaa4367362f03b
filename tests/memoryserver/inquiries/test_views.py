"""The page of one's own inquiries."""

from __future__ import annotations

from django.test import Client

from memoryserver.accounts.models import Project, User
from memoryserver.inquiries.models import Inquiry


def page(user: User, query: str = "") -> str:
    client = Client()
    client.force_login(user)
    return client.get(f"/account/asked/{query}").content.decode()


def test_everybody_sees_their_own_alone(alice: User, bob: User, shared_project: Project) -> None:
    fields = {"project": shared_project, "kind": "search", "way": "agent", "found": 3}
    Inquiry.objects.create(user=alice, words="backup & lock", **fields)
    Project.objects.create(owner=alice, key="other")

    assert "backup &amp; lock" in page(alice)
    assert '<a href="/search/?q=backup+%26+lock">' in page(alice)
    assert "Nothing was asked here." in page(bob)
    assert "Nothing was asked here." in page(alice, "?project=other")
