from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import TestCase
from django.utils import timezone

from memoryserver.jobs import enqueue
from memoryserver.ops import metrics
from memoryserver.ops.alerting import alerts
from memoryserver.ops.metrics import Family
from memoryserver.ops.models import Heartbeat

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_collectors", [])


def samples() -> dict[str, float]:
    """Each sample's value by its name and labels."""
    lines = [line for line in metrics.text().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def rendered(*families: Family) -> str:
    """What the registered families add to the text."""
    before = metrics.text()
    metrics.register(lambda: families)
    return metrics.text().removeprefix(before)


def test_family_has_its_help_its_type_and_a_line_for_each_sample() -> None:
    rows = [({"team": "crew", "user": "alice"}, 2), ({"team": "crew", "user": "bob"}, 0.5)]

    assert rendered(Family("memoryserver_x", "What x is.", rows), Family("memoryserver_y", "y", metrics.single(7))) == (
        "# HELP memoryserver_x What x is.\n"
        "# TYPE memoryserver_x gauge\n"
        'memoryserver_x{team="crew",user="alice"} 2\n'
        'memoryserver_x{team="crew",user="bob"} 0.5\n'
        "# HELP memoryserver_y y\n"
        "# TYPE memoryserver_y gauge\n"
        "memoryserver_y 7\n"
    )


def test_family_without_samples_is_described_all_the_same() -> None:
    assert rendered(Family("memoryserver_x", "x", [])) == "# HELP memoryserver_x x\n# TYPE memoryserver_x gauge\n"


def test_text_of_users_cannot_forge_a_sample() -> None:
    hostile = 'a"} 1\nmemoryserver_y{b="\\'

    lines = rendered(Family("memoryserver_x", "x", [({"name": hostile}, 1)])).splitlines()

    assert lines[2:] == ['memoryserver_x{name="a\\"} 1\\nmemoryserver_y{b=\\"\\\\"} 1']


def test_collector_registered_twice_is_asked_once() -> None:
    asked: list[int] = []

    def collect() -> list[Family]:
        asked.append(1)
        return []

    metrics.register(collect)
    metrics.register(collect)
    metrics.text()

    assert asked == [1]


def test_server_counts_open_alerts_and_waiting_jobs() -> None:
    alerts.begin("disk", "the disk is full")
    alerts.begin("memory", "the memory is full")
    alerts.end("memory")
    alerts.begin("job x", "not reported yet", after=3)
    with TestCase.captureOnCommitCallbacks(execute=True):
        enqueue("memoryserver.ops.jobs.watch")
        enqueue("memoryserver.ops.jobs.deliver_alerts")

    values = samples()

    assert values["memoryserver_jobs_waiting"] == 2
    assert [value for name, value in values.items() if name.startswith("memoryserver_alerts_")] == [1]


def test_server_tells_the_age_of_each_heartbeat() -> None:
    before = timezone.now()
    for name, minutes in (("job cluster", 1), ("job some.job", 60)):
        Heartbeat.objects.create(name=name, beat_at=before - timedelta(minutes=minutes))

    values = samples()

    after = (timezone.now() - before).total_seconds()
    for name, seconds in (("job cluster", 60), ("job some.job", 3600)):
        age = values[f'memoryserver_heartbeat_age_seconds{{name="{name}"}}']
        assert seconds <= age <= seconds + after
