"""The signal that the admin sends when a row is deleted."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from memoryserver.accounts.models import User
from memoryserver.admin.signals import row_deleted


def test_deletion_in_the_admin_names_the_row_and_who_deleted_it_once(alice: User, admin_client: Client) -> None:
    learning, _ = sink.store_by_hand(alice, None, IncomingLearning("gotcha", "The cache must be emptied.", 1.0, 0))
    assert learning is not None
    received: list[dict[str, Any]] = []

    def receive(sender: type[Any], **kwargs: Any) -> None:
        received.append({"model": sender, "key": kwargs["key"], "by": kwargs["by"].username})

    row_deleted.connect(receive)
    try:
        admin_client.post(reverse("admin:capture_learning_delete", args=[learning.pk]), {"post": "yes"})
    finally:
        row_deleted.disconnect(receive)

    assert received == [{"model": Learning, "key": learning.pk, "by": "admin"}]
    assert Learning.objects.count() == 0
