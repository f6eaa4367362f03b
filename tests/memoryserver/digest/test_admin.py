"""Subscriptions in the admin."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.digest.models import Subscription
from tests.support.rows.many_rows import THEN


def test_subscription_is_shown_without_the_key_that_ends_it(alice: User, admin_client: Client) -> None:
    row = Subscription.objects.create(user=alice, due_at=THEN, error="the mail server is away")

    page = admin_client.get(reverse("admin:digest_subscription_change", args=[row.pk])).content.decode()

    assert ("the mail server is away" in page, str(row.key) in page) == (True, False)
