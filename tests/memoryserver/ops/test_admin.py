from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django_q.models import Schedule

from memoryserver.accounts.models import User
from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import Alert, Heartbeat
from memoryserver.ops.schedules import ensure_schedules
from tests.support.rows.factories import UserFactory


def test_administrator_sees_alerts_and_can_end_one(alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = Client()
    client.force_login(alice)
    alerts.begin("disk", "the disk is full")

    page = client.get("/admin/ops/alert/").content.decode()
    client.post(
        "/admin/ops/alert/", {"action": "end", "_selected_action": [Alert.objects.get().pk], "confirmed": "yes"}
    )

    assert "the disk is full" in page
    assert not alerts.open_alerts().exists()


def test_schedule_cannot_be_written_by_hand_so_that_none_is_broken(db: None) -> None:
    ensure_schedules()
    schedule = Schedule.objects.first()
    assert schedule is not None
    client = Client()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))

    added = client.get("/admin/django_q/schedule/add/")
    page = client.get(f"/admin/django_q/schedule/{schedule.pk}/change/").content.decode()

    assert added.status_code == 403
    assert 'name="args"' not in page
    assert 'name="next_run_0"' in page


@pytest.fixture
def administrator(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    return client


@pytest.mark.parametrize("model", ["heartbeat", "alert"])
def test_rows_that_the_server_makes_cannot_be_added(administrator: Client, model: str) -> None:
    assert administrator.get(f"/admin/ops/{model}/add/").status_code == 403


def test_heartbeat_can_be_seen_and_not_changed(administrator: Client) -> None:
    Heartbeat.objects.create(name="here", beat_at="2026-11-20T12:00:00Z")

    seen = administrator.get("/admin/ops/heartbeat/here/change/")
    changed = administrator.post("/admin/ops/heartbeat/here/change/", {"name": "here", "beat_at_0": "2030-01-01"})

    assert (seen.status_code, changed.status_code) == (200, 403)
    assert Heartbeat.objects.get().beat_at.year == 2026


def test_alert_shows_its_notifications_and_cannot_be_rewritten(administrator: Client, settings: Any) -> None:
    settings.ALERT_EMAIL = ["ops@example.org"]
    alerts.begin("disk", "the disk is full")
    address = f"/admin/ops/alert/{Alert.objects.get().pk}/change/"

    page = administrator.get(address).content.decode()
    administrator.post(address, {"message": "nothing happened", "key": "other"})

    assert "mail" in page
    assert 'name="message"' not in page
    assert (Alert.objects.get().key, Alert.objects.get().message) == ("disk", "the disk is full")


def test_ending_counts_the_alerts_that_had_not_ended(administrator: Client) -> None:
    for key in ("disk", "memory"):
        alerts.begin(key, f"the {key} is full")
    alerts.end("memory")

    selected = list(Alert.objects.values_list("pk", flat=True))
    chosen = {"action": "end", "_selected_action": selected, "confirmed": "yes"}
    page = administrator.post("/admin/ops/alert/", chosen, follow=True)

    assert [str(message) for message in page.context["messages"]] == ["1 ended"]
    assert not Alert.objects.filter(ended_at=None).exists()


def test_schedule_can_be_paused_and_is_otherwise_that_of_the_settings(administrator: Client, settings: Any) -> None:
    settings.JOB_SCHEDULES = [("often", "some.job", 5)]
    ensure_schedules()
    schedule = Schedule.objects.get()
    form = {"repeats": 0, "next_run_0": "2030-01-01", "next_run_1": "00:00:00", "func": "os.system", "args": "'x'"}

    administrator.post(f"/admin/django_q/schedule/{schedule.pk}/change/", form)

    schedule.refresh_from_db()
    assert (schedule.repeats, schedule.next_run.year) == (0, 2030)
    assert (schedule.func, schedule.args, schedule.minutes) == ("some.job", None, 5)
