"""The journal's admin: everything can be read and nothing changed."""

from __future__ import annotations

from django.test import Client

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from tests.ghap.failures import clustered
from tests.support.rows.ghap_entries import body


def test_admin_shows_entries_and_clusters_and_lets_nobody_change_them(alice: User, admin_client: Client) -> None:
    cluster = clustered(alice, None, range(3))
    pages = {
        page: admin_client.get(f"/admin/ghap/{page}").status_code
        for page in (
            "entry/",
            f"entry/{Entry.objects.earliest('pk').pk}/change/",
            "clustering/",
            f"clustering/{cluster.clustering_id}/change/",
            "cluster/",
            f"cluster/{cluster.pk}/change/",
            "clustering/add/",
            "cluster/add/",
            f"cluster/{cluster.pk}/delete/",
        )
    }

    assert list(pages.values()) == [200] * 6 + [403] * 3


def test_entry_is_shown_as_it_was_sent_and_its_text_is_no_markup(alice: User, admin_client: Client) -> None:
    receive(alice, None, [body(goal="Größe <script>alert(1)</script>")])

    page = admin_client.get(f"/admin/ghap/entry/{Entry.objects.get().pk}/change/").content.decode()

    assert "&quot;goal&quot;: &quot;Größe &lt;script&gt;alert(1)&lt;/script&gt;&quot;" in page
    assert "<script>alert(1)" not in page


def test_entry_is_found_by_its_goal_and_cannot_be_deleted(alice: User, admin_client: Client) -> None:
    receive(alice, None, [body()])
    row = Entry.objects.get()

    found = admin_client.get("/admin/ghap/entry/", {"q": "export"}).context["cl"].result_list
    missed = admin_client.get("/admin/ghap/entry/", {"q": "zebra"}).context["cl"].result_list
    deletion = admin_client.post(f"/admin/ghap/entry/{row.pk}/delete/", {"post": "yes"})

    assert ([*found], [*missed]) == ([row], [])
    assert (deletion.status_code, Entry.objects.count()) == (403, 1)


def test_entry_cannot_be_added_or_changed(alice: User, admin_client: Client) -> None:
    receive(alice, None, [body()])
    row = Entry.objects.get()

    statuses = [
        admin_client.post("/admin/ghap/entry/add/", {}).status_code,
        admin_client.post(f"/admin/ghap/entry/{row.pk}/change/", {"goal": "Another"}).status_code,
    ]

    assert (statuses, Entry.objects.get().goal) == ([403, 403], row.goal)
