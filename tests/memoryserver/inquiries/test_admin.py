"""Inquiries in the admin."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.inquiries.models import Inquiry
from obslog.models import Observation


def test_list_of_inquiries_is_searched_by_words_and_records_whose_words_were_seen(
    alice: User, bob: User, admin_client: Client
) -> None:
    mine = Inquiry.objects.create(user=alice, kind="search", way="page", words="webhook signature", found=2)
    Inquiry.objects.create(user=bob, kind="search", way="page", words="flicker", found=1)

    page = admin_client.get(reverse("admin:inquiries_inquiry_changelist"), {"q": "webhook"})

    assert [*page.context["cl"].result_list] == [mine]
    looks = Observation.objects.filter(type="admin.viewed")
    assert [(row.user, row.data["ids"]) for row in looks] == [(alice, [str(mine.pk)])]  # type: ignore[index]
