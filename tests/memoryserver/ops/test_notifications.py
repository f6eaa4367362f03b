"""Notifications are sent once each, in order, and again later where sending fails."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

from memoryserver.ops import alerts, notifications
from memoryserver.ops.models import Notification
from tests.memoryserver.ops.receivers import MailServer, Webhook


def make_due() -> None:
    Notification.objects.filter(sent_at=None).update(due_at=timezone.now() - timedelta(seconds=1))


def test_webhook_that_fails_is_tried_again_later_and_in_order(db: None, hook: Webhook) -> None:
    hook.statuses = [500, 503]
    alerts.begin("disk", "the disk is full")
    alerts.end("disk")

    assert notifications.deliver() == 0
    waiting = Notification.objects.get(event="began")
    assert (waiting.attempts, waiting.error) == (1, "the webhook responded with HTTP status 500")
    assert notifications.deliver() == 0
    assert len(hook.bodies) == 1

    make_due()
    assert notifications.deliver() == 0
    make_due()
    assert notifications.deliver() == 2
    assert [body["event"] for body in hook.bodies] == ["began", "began", "began", "ended"]


def test_channel_that_is_away_holds_up_no_other_and_its_address_is_not_told(
    db: None, mail: MailServer, settings: Any
) -> None:
    settings.ALERT_WEBHOOK = "http://127.0.0.1:9/secret-part"
    alerts.begin("disk", "the disk is full")

    assert notifications.deliver() == 1
    assert len(mail.messages) == 1
    assert "secret-part" not in Notification.objects.get(channel="webhook").error


def test_two_deliverers_send_each_once(transactional_db: None, hook: Webhook) -> None:
    for number in range(6):
        alerts.begin(f"trouble {number}", f"trouble {number}")

    def work() -> None:
        notifications.deliver()
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(body["alert"] for body in hook.bodies) == [f"trouble {number}" for number in range(6)]
