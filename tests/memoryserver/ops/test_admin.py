from __future__ import annotations

from django.test import Client
from django_q.models import Schedule

from memoryserver.accounts.models import User
from memoryserver.ops import alerts
from memoryserver.ops.models import Alert
from memoryserver.ops.schedules import ensure_schedules
from tests.support.factories import UserFactory


def test_administrator_sees_alerts_and_can_end_one(alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = Client()
    client.force_login(alice)
    alerts.begin("disk", "the disk is full")

    page = client.get("/admin/ops/alert/").content.decode()
    client.post("/admin/ops/alert/", {"action": "end", "_selected_action": [Alert.objects.get().pk]})

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
