"""Metrics in Prometheus' text format 0.0.4.

An app registers a collector, a function that returns families (a name, a help text and samples). All metrics are gauges
read from the database on request, so every web process returns the same values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django_q.brokers import get_broker

from memoryserver.ops.alerting import alerts
from memoryserver.ops.brokers.common import EMBEDDING_QUEUE, QueueUnavailableError
from memoryserver.ops.models import Heartbeat

logger = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True)
class Family:
    """A metric: its name, which begins with `memoryserver_`, its help text, and its samples as (labels, value)."""

    name: str
    about: str
    samples: Iterable[tuple[Mapping[str, str], float]]


Collector = Callable[[], Iterable[Family]]

_collectors: list[Collector] = []


def register(collector: Collector) -> None:
    """Register `collector`; registering it again has no effect."""
    if collector not in _collectors:
        _collectors.append(collector)


def single(value: float) -> list[tuple[Mapping[str, str], float]]:
    """Return the samples of a family with a single value."""
    return [({}, value)]


def text() -> str:
    """Return the current values of all metrics."""
    families = [family for collector in (_server_families, *_collectors) for family in collector()]
    return "".join(_lines(family) for family in families)


def _server_families() -> Iterable[Family]:
    now = timezone.now()
    beats = [({"name": beat.name}, (now - beat.beat_at).total_seconds()) for beat in Heartbeat.objects.all()]
    open_alerts = alerts.open_alerts().count()
    yield Family("memoryserver_alerts_open", "Alerts that were reported and have not ended.", single(open_alerts))
    yield Family("memoryserver_jobs_waiting", "Jobs in the queue.", _jobs_waiting())
    yield Family("memoryserver_heartbeat_age_seconds", "Seconds since the job cluster or a job last succeeded.", beats)


def _jobs_waiting() -> Sequence[tuple[Mapping[str, str], float]]:
    """Return the number of jobs that wait or run; none while the queue does not respond."""
    brokers = [get_broker(), *([get_broker(EMBEDDING_QUEUE)] if settings.EMBEDDING_QUEUE else [])]
    try:
        return single(sum(broker.queue_size() + broker.lock_size() for broker in brokers))
    except QueueUnavailableError as error:
        logger.warning("jobs could not be counted", extra={"reason": str(error)})
        return []


def _lines(family: Family) -> str:
    lines = [f"# HELP {family.name} {family.about.translate(_ESCAPES)}", f"# TYPE {family.name} gauge"]
    for labels, value in family.samples:
        pairs = ",".join(f'{name}="{content.translate(_ESCAPES)}"' for name, content in labels.items())
        lines.append(f"{family.name}{{{pairs}}} {value!r}" if pairs else f"{family.name} {value!r}")
    return "\n".join(lines) + "\n"
