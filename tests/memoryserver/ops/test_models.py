"""The rules that the database itself keeps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from memoryserver.ops.models import Alert, Heartbeat, Notification

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def alert(key: str = "disk", ended_at: datetime | None = None) -> Alert:
    return Alert.objects.create(
        key=key, message=f"the {key} is full", began_at=NOON, last_seen_at=NOON, ended_at=ended_at
    )


def notify(about: Alert, event: str = "began", channel: str = "mail") -> Notification:
    return Notification.objects.create(alert=about, event=event, channel=channel, made_at=NOON, due_at=NOON)


def test_key_has_one_open_alert_and_any_number_of_ended_ones() -> None:
    for ended_at in (NOON, NOON, None):
        alert(ended_at=ended_at)
    alert("memory")

    with pytest.raises(IntegrityError), transaction.atomic():
        alert()

    assert (Alert.objects.filter(key="disk").count(), Alert.objects.filter(ended_at=None).count()) == (3, 2)


def test_newest_alert_comes_first() -> None:
    rows = [alert(key) for key in ("a", "b", "c")]

    assert list(Alert.objects.all()) == rows[::-1]


def test_event_of_an_alert_is_sent_once_by_each_channel() -> None:
    disk = alert()
    for event, channel in [("began", "mail"), ("began", "webhook"), ("ended", "mail")]:
        notify(disk, event, channel)

    with pytest.raises(IntegrityError), transaction.atomic():
        notify(disk, "began", "mail")

    assert [str(row) for row in Notification.objects.all()] == [
        "the disk is full began by mail",
        "the disk is full began by webhook",
        "the disk is full ended by mail",
    ]


def test_deleted_alert_takes_its_notifications_along() -> None:
    disk, memory = alert(), alert("memory")
    notify(disk)
    notify(memory)

    disk.delete()

    assert [row.alert for row in Notification.objects.all()] == [memory]


def test_heartbeat_has_one_row_for_each_name() -> None:
    Heartbeat.objects.create(name="job cluster", beat_at=NOON)

    with pytest.raises(IntegrityError), transaction.atomic():
        Heartbeat.objects.create(name="job cluster", beat_at=NOON)

    assert [str(beat) for beat in Heartbeat.objects.all()] == ["job cluster at 2026-11-20 12:00:00"]
