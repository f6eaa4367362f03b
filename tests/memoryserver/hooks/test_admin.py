"""Sessions of hooks in the admin."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.hooks.models import HookSession


def test_session_is_found_by_its_folder_and_shown_without_what_handlers_remember(
    alice: User, admin_client: Client
) -> None:
    row = HookSession.objects.create(user=alice, session_id="s", root="/home/alice/shop", memory={"h": "remembered"})

    found = admin_client.get(reverse("admin:hooks_hooksession_changelist"), {"q": "shop"}).context["cl"].result_list
    page = admin_client.get(reverse("admin:hooks_hooksession_change", args=[row.pk])).content.decode()

    assert ([*found], "remembered" in page) == ([row], False)
