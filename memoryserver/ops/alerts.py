"""Alerts: trouble that needs a person, told once when it begins and once when it is over.

Whoever finds trouble calls `begin` each time it is found, and `end` whenever it is not: which trouble stands is kept
in the database, so neither a restart nor a second process tells of it again. Told by the server's log, by signals
(the observation log listens), and by mail and webhook where the settings name them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryserver.common.text import one_line, shorten
from memoryserver.jobs import enqueue
from memoryserver.ops import channels
from memoryserver.ops.models import Alert, Notification
from memoryserver.ops.signals import alert_ended, alert_raised

logger = logging.getLogger(__name__)

DELIVER_JOB = "memoryserver.ops.jobs.deliver_alerts"
MAX_MESSAGE = 1_000  # characters


def begin(key: str, message: str, *, about: Iterable[str] = (), after: int = 1) -> bool:
    """The trouble `key` was met, once more or for the first time; whether this call told of it.

    It is told when it has been met `after` times without having been over in between. Within a transaction all of
    this holds if that commits.
    """
    now = timezone.now()
    with transaction.atomic():
        first = {"message": _line(message), "about": list(about), "began_at": now, "last_seen_at": now, "times": 0}
        alert, _ = Alert.objects.get_or_create(key=key, ended_at=None, defaults=first)
        alert = Alert.objects.select_for_update().get(pk=alert.pk)
        if alert.ended_at is not None:  # by another process, just now
            return False
        alert.times += 1
        alert.last_seen_at = now
        told = alert.told_at is None and alert.times >= after
        if told:
            alert.message, alert.about, alert.told_at = _line(message), list(about), now
        alert.save()
        if told:
            logger.error("alert", extra={"alert": alert.key, "reason": alert.message})
            alert_raised.send(Alert, message=alert.message, about=alert.about)
            _notify(alert, "began")
    return told


def end(key: str) -> bool:
    """The trouble `key` is not there, or no more; whether this call told so. Cheap where it does not stand."""
    if not Alert.objects.filter(key=key, ended_at=None).exists():
        return False
    with transaction.atomic():
        alert = Alert.objects.select_for_update().filter(key=key, ended_at=None).first()
        if alert is None:
            return False
        if alert.told_at is None:  # nobody knew of it
            alert.delete()
            return False
        alert.ended_at = timezone.now()
        alert.save(update_fields=["ended_at"])
        logger.warning("alert is over", extra={"alert": alert.key, "reason": alert.message})
        alert_ended.send(Alert, message=alert.message, about=alert.about)
        _notify(alert, "ended")
    return True


def standing() -> QuerySet[Alert]:
    """The alerts that were told and are not over, the newest first."""
    return Alert.objects.filter(ended_at=None).exclude(told_at=None)


def _notify(alert: Alert, event: str) -> None:
    now = timezone.now()
    used = channels.configured()
    for channel in used:
        Notification.objects.create(alert=alert, event=event, channel=channel, made_at=now, due_at=now)
    if used:
        enqueue(DELIVER_JOB)


def _line(message: str) -> str:
    return shorten(one_line(message), MAX_MESSAGE) or "no reason was given"
