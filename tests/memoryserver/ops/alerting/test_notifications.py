"""Notifications are sent once each, in order, and again later where sending fails."""

from __future__ import annotations

import socket
import threading
from datetime import timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

from memoryserver.ops.alerting import alerts, notifications
from memoryserver.ops.models import Notification
from tests.memoryserver.ops.receivers import MailServer, Webhook
from tests.support.processes import django_process


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


def test_pauses_between_attempts_double_up_to_the_longest(db: None, hook: Webhook) -> None:
    hook.statuses = [503] * 10
    alerts.begin("disk", "the disk is full")
    pauses = [timedelta(seconds=30 * 2**attempt) for attempt in range(7)] + [timedelta(hours=1)] * 3

    for pause in pauses:
        make_due()
        before = timezone.now()
        assert notifications.deliver() == 0
        assert before + pause <= Notification.objects.get().due_at <= timezone.now() + pause

    assert Notification.objects.get().attempts == 10


def test_notification_that_is_not_due_is_left_for_later(db: None, hook: Webhook) -> None:
    alerts.begin("disk", "the disk is full")
    Notification.objects.update(due_at=timezone.now() + timedelta(minutes=1))

    assert (notifications.deliver(), hook.bodies) == (0, [])


def test_notification_is_given_up_after_two_days_and_the_end_of_its_alert_is_still_sent(
    db: None, hook: Webhook
) -> None:
    alerts.begin("disk", "the disk is full")
    Notification.objects.update(made_at=timezone.now() - timedelta(days=2, minutes=1))
    assert notifications.deliver() == 0

    alerts.end("disk")

    assert notifications.deliver() == 1
    assert [body["event"] for body in hook.bodies] == ["ended"]


def test_success_clears_the_error_of_the_attempts_before(db: None, hook: Webhook) -> None:
    hook.statuses = [500]
    alerts.begin("disk", "the disk is full")
    notifications.deliver()
    make_due()

    notifications.deliver()

    row = Notification.objects.get()
    assert (row.attempts, row.error, row.sent_at is None) == (2, "", False)


def test_attempt_that_kills_its_process_is_counted_and_pauses_like_any_other(
    transactional_db: None, settings: Any
) -> None:
    """The webhook accepts the connection and never answers; meanwhile the process is killed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        settings.ALERT_WEBHOOK = address
        alerts.begin("disk", "the disk is full")
        script = "from memoryserver.ops.alerting import notifications; notifications.deliver()"
        with django_process.start(
            script, MEMORYSERVER_ALERT_WEBHOOK=address, MEMORYSERVER_WEBHOOK_HOSTS="127.0.0.1"
        ) as process:
            server.settimeout(60)
            connection, _ = server.accept()
            process.kill()
        connection.close()

    row = Notification.objects.get()
    assert (row.attempts, row.sent_at, row.due_at > row.made_at) == (1, None, True)
