"""The journal's admin: everything can be read and nothing changed."""

from __future__ import annotations

from django.test import Client

from ghap.models import Entry
from memoryserver.accounts.models import User
from tests.ghap.failures import clustered


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
