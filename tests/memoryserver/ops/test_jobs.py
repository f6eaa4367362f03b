from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django_q.models import Failure

from memoryserver.ops import jobs
from memoryserver.ops.alerting import alerts
from memoryserver.ops.jobs import purge_failures
from memoryserver.ops.models import CLUSTER, Heartbeat
from tests.memoryserver.ops.receivers import Webhook


def test_records_of_failures_are_purged_after_a_month(db: None) -> None:
    for days in (1, 29, 31, 300):
        then = timezone.now() - timedelta(days=days)
        Failure.objects.create(id=f"{days:032}", name=str(days), func="x", started=then, stopped=then, success=False)

    assert purge_failures() == 2
    assert sorted(Failure.objects.values_list("name", flat=True)) == ["1", "29"]


def test_watch_raises_the_alerts_of_its_checks(db: None) -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now() - timedelta(minutes=11))

    jobs.watch()

    assert [alert.key for alert in alerts.open_alerts()] == ["job cluster"]


def test_delivery_sends_what_is_due_and_counts_it(db: None, hook: Webhook) -> None:
    for key in ("disk", "memory"):
        alerts.begin(key, f"the {key} is full")

    assert (jobs.deliver_alerts(), jobs.deliver_alerts()) == (2, 0)
    assert [body["alert"] for body in hook.bodies] == ["disk", "memory"]


def test_backup_is_not_started_where_no_folder_is_set(settings: Any) -> None:
    settings.BACKUP_DIR = ""
    assert jobs.back_up() == 0
