"""The page of one's own inquiries."""

from __future__ import annotations

from django.test import Client
from django.utils import timezone

from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.inquiries.models import Inquiry
from tests.support.rows.ghap_entries import body

NOW = timezone.now()
ENTRY = "ghap_20260820_143022_a1b2c3"


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


def test_documents_that_were_opened_lead_to_their_pages(alice: User, bob: User) -> None:
    learning = Learning.objects.create(user=alice, content="Use pnpm", confidence=0.9, first_seen=NOW, last_seen=NOW)
    receive(alice, None, [body(id=ENTRY)])
    ids = [f"learnings/{learning.pk}", f"ghap/{ENTRY}", "learnings/0"]
    for user, kind, words in ((alice, "open", " ".join(ids)), (alice, "timeline", ids[0]), (bob, "open", ids[0])):
        Inquiry.objects.create(user=user, kind=kind, way="agent", words=words, found=1)

    links = [
        f'<a href="/learnings/{learning.pk}/">{ids[0]}</a>',
        f'<a href="/entries/{Entry.objects.get().pk}/">{ids[1]}</a>',
    ]
    assert f'<td class="what">{" ".join(links)} learnings/0</td>' in page(alice)
    assert f'<td class="what">{links[0]}</td>' in page(alice)
    assert f'<td class="what">{ids[0]}</td>' in page(bob)
