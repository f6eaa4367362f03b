"""Collections of vectors in the admin."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from memoryserver.vectors.models import Collection


def test_collection_shows_the_model_that_it_changes_to(db: None, admin_client: Client) -> None:
    row = Collection.objects.create(name="texts", model="old", dimension=3, next_model="new", next_dimension=4)

    page = admin_client.get(reverse("admin:vectors_collection_change", args=[row.pk])).content.decode()

    assert ('<div class="readonly">new</div>' in page, '<div class="readonly">4</div>' in page) == (True, True)
