from __future__ import annotations

from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.utils import timezone

from memoryserver.ops import alerts
from memoryserver.ops.models import CLUSTER, Heartbeat


def test_command_looks_once(db: None) -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now() - timedelta(minutes=11))

    call_command("watch", "--once", stdout=StringIO())

    assert [alert.key for alert in alerts.open_alerts()] == ["job cluster"]
