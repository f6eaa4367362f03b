"""Alerts are told once when they begin and once when they are over, by mail and webhook too."""

from __future__ import annotations

import threading

from django.db import connections
from django.test import TestCase
from django_q.models import OrmQ

from memoryserver.ops.alerting import alerts, notifications
from memoryserver.ops.models import Alert, Notification
from obslog.models import Observation
from tests.memoryserver.ops.receivers import MailServer


def told() -> list[tuple[str, str]]:
    return [(row.type, row.message) for row in Observation.objects.order_by("arrival")]


def test_trouble_is_told_when_it_begins_and_when_it_is_over_and_not_in_between(db: None) -> None:
    assert [alerts.begin("disk", "the disk is full", about=["sda"]) for _ in range(3)] == [True, False, False]
    assert [alert.times for alert in alerts.open_alerts()] == [3]
    assert [alerts.end("disk"), alerts.end("disk")] == [True, False]

    assert told() == [
        ("server.alert", "the disk is full"),
        ("server.alert_ended", "over: the disk is full"),
    ]
    assert not alerts.open_alerts().exists()


def test_trouble_that_comes_again_is_another_alert(db: None) -> None:
    for _ in range(2):
        alerts.begin("disk", "the disk is full")
        alerts.end("disk")

    assert (Alert.objects.count(), len(told())) == (2, 4)


def test_trouble_is_told_only_when_it_lasts(db: None) -> None:
    assert [alerts.begin("job x", "x fails", after=3) for _ in range(2)] == [False, False]
    assert alerts.end("job x") is False
    assert told() == []

    assert [alerts.begin("job x", "x fails", after=3) for _ in range(4)] == [False, False, True, False]


def test_message_of_several_lines_is_told_as_one(db: None) -> None:
    alerts.begin("x", "first\nsecond\r\nthird")

    assert Alert.objects.get().message == "first second third"


def test_without_addresses_nothing_goes_out(db: None) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        alerts.begin("disk", "the disk is full")

    assert (Notification.objects.count(), OrmQ.objects.count()) == (0, 0)


def test_mail_goes_to_the_people_in_the_settings(db: None, mail: MailServer) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        alerts.begin("disk", "the disk is full", about=["sda"])
        alerts.end("disk")
    assert [waiting.name() for waiting in OrmQ.objects.all()] == [alerts.DELIVER_JOB]

    assert (notifications.deliver(), notifications.deliver()) == (2, 0)

    began, ended = mail.messages
    assert "To: ops@example.org" in began
    assert "Subject: memoryserver: the disk is full" in began
    assert "about sda" in began
    assert "Subject: memoryserver: over: the disk is full" in ended


def test_two_that_find_the_same_trouble_tell_it_once(transactional_db: None) -> None:
    results: list[bool] = []

    def work() -> None:
        results.append(alerts.begin("disk", "the disk is full"))
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (sorted(results), Alert.objects.get().times) == ([False, False, False, True], 4)
