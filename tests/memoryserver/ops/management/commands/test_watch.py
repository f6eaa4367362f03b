from __future__ import annotations

import signal
import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import CLUSTER, Heartbeat
from tests.support.processes import django_process

WATCH = """
from django.core.management import call_command
call_command("watch")
print("ended", flush=True)
"""


def make_cluster_dead() -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now() - timedelta(minutes=11))


def open_keys() -> list[str]:
    return [alert.key for alert in alerts.open_alerts()]


def test_command_looks_once(db: None) -> None:
    make_cluster_dead()

    call_command("watch", "--once", stdout=StringIO())

    assert open_keys() == ["job cluster"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_command_checks_at_once_and_goes_on_until_a_signal(transactional_db: None, number: signal.Signals) -> None:
    make_cluster_dead()
    with django_process.start(WATCH) as process:
        deadline = time.monotonic() + 60
        while not open_keys():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        running = process.poll() is None
        while process.poll() is None and not _waits_with_handlers(process.pid):
            time.sleep(0.01)
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)

    assert (running, said, process.returncode) == (True, "ended\n", 0)


def _waits_with_handlers(pid: int) -> bool:
    """Whether the process sleeps and has a handler for SIGTERM, by the kernel's mask of caught signals."""
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in status)
    return fields["State"].startswith("S") and bool(int(fields["SigCgt"], 16) >> (signal.SIGTERM - 1) & 1)
