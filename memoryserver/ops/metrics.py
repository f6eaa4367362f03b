"""Figures for the operator's monitoring, in Prometheus' text format 0.0.4.

A family is a name, what it tells, and its samples; whoever has figures registers a function that gives families. All
are gauges: they are read from the database when asked, not counted in a process, so every web process gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.utils import timezone
from django_q.models import OrmQ

from memoryserver.ops import alerts
from memoryserver.ops.models import Heartbeat

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True)
class Family:
    """Samples of one name: for each its labels and its value. The name begins with `memoryserver_`."""

    name: str
    about: str
    samples: Iterable[tuple[Mapping[str, str], float]]


Collector = Callable[[], Iterable[Family]]

_collectors: list[Collector] = []


def register(collector: Collector) -> None:
    """Have `collector` asked whenever the figures are."""
    if collector not in _collectors:
        _collectors.append(collector)


def one(value: float) -> list[tuple[Mapping[str, str], float]]:
    """The samples of a family that has a single figure."""
    return [({}, value)]


def text() -> str:
    """All figures as they are now."""
    families = [family for collector in (_own, *_collectors) for family in collector()]
    return "".join(_lines(family) for family in families)


def _own() -> Iterable[Family]:
    now = timezone.now()
    beats = [({"name": beat.name}, (now - beat.beat_at).total_seconds()) for beat in Heartbeat.objects.all()]
    standing = alerts.standing().count()
    yield Family("memoryserver_alerts_standing", "Alerts that were told and are not over.", one(standing))
    yield Family("memoryserver_jobs_waiting", "Jobs in the queue.", one(OrmQ.objects.count()))
    yield Family("memoryserver_heartbeat_age_seconds", "Since the job cluster, or a job, last succeeded.", beats)


def _lines(family: Family) -> str:
    lines = [f"# HELP {family.name} {family.about.translate(_ESCAPES)}", f"# TYPE {family.name} gauge"]
    for labels, value in family.samples:
        named = ",".join(f'{name}="{content.translate(_ESCAPES)}"' for name, content in labels.items())
        lines.append(f"{family.name}{{{named}}} {value!r}" if named else f"{family.name} {value!r}")
    return "\n".join(lines) + "\n"
