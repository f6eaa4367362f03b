"""What waits to be embedded, by kind of row, and another attempt for what has failed too often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from memoryserver.vectors import backlog
from memoryserver.vectors.models import Embeddable


@dataclass(frozen=True)
class Waiting:
    """The rows of a model that wait, and those of them that failed so often that an alert was raised."""

    label: str
    name: str
    waiting: int
    stuck: int


def rows() -> Sequence[Waiting]:
    """Return each kind of row that is embedded, with its numbers; one query each, answered by a small index."""
    waiting_rows = []
    for model in _models():
        counts = model._default_manager.filter(model.pending()).aggregate(
            waiting=Count("*"), stuck=Count("embed_attempts", filter=Q(embed_attempts__gte=backlog.ALERT_AFTER))
        )
        name = str(model._meta.verbose_name_plural)
        waiting_rows.append(Waiting(model._meta.label_lower, name, counts["waiting"], counts["stuck"]))
    return waiting_rows


def retry(label: str) -> int:
    """Have those that failed too often embedded again; return their number. Raises KeyError for an unknown model."""
    model = {model._meta.label_lower: model for model in _models()}[label]
    return backlog.reset(model._default_manager.filter(backlog.is_stuck()))


def _models() -> Sequence[type[Embeddable]]:
    return sorted(Embeddable.__subclasses__(), key=lambda model: model._meta.label_lower)
