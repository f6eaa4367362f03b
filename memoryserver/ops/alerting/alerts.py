"""Alerts: problems that need a person, reported once when they begin and once when they end.

A check calls `begin` each time it finds the problem and `end` each time it does not. Open alerts are stored in the
database, so restarts and other processes do not report them again. Alerts are reported in the server's log, by signals
(the observation log listens), and by mail and webhook if configured.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memoryserver.common.redaction import redact
from memoryserver.common.text import one_line, shorten
from memoryserver.jobs import enqueue
from memoryserver.ops.alerting import channels
from memoryserver.ops.alerting.signals import alert_ended, alert_raised
from memoryserver.ops.models import Alert, Notification

logger = logging.getLogger(__name__)

DELIVER_JOB = "memoryserver.ops.jobs.deliver_alerts"
MAX_MESSAGE = 1_000  # characters


def begin(key: str, message: str, *, about: Iterable[str] = (), after: int = 1) -> bool:
    """Record an occurrence of the problem `key`; return whether this call reported it.

    It is reported at the `after`-th occurrence in a row. Within a transaction all of this takes effect on commit.
    """
    now = timezone.now()
    with transaction.atomic():
        defaults = {"message": _line(message), "about": list(about), "began_at": now, "last_seen_at": now, "times": 0}
        alert, _ = Alert.objects.get_or_create(key=key, ended_at=None, defaults=defaults)
        alert = Alert.objects.select_for_update().get(pk=alert.pk)
        if alert.ended_at is not None:  # by another process, just now
            return False
        alert.times += 1
        alert.last_seen_at = now
        reported = alert.notified_at is None and alert.times >= after
        if reported:
            alert.message, alert.about, alert.notified_at = _line(message), list(about), now
        alert.save()
        if reported:
            logger.error("alert", extra={"alert": alert.key, "reason": alert.message})
            alert_raised.send(Alert, message=alert.message, about=alert.about)
            _notify(alert, "began")
    return reported


def end(key: str) -> bool:
    """End the alert `key`; return whether this call reported the end. Cheap if there is no such alert."""
    if not Alert.objects.filter(key=key, ended_at=None).exists():
        return False
    with transaction.atomic():
        alert = Alert.objects.select_for_update().filter(key=key, ended_at=None).first()
        if alert is None:
            return False
        if alert.notified_at is None:  # it was never reported
            alert.delete()
            return False
        alert.ended_at = timezone.now()
        alert.save(update_fields=["ended_at"])
        logger.warning("alert is over", extra={"alert": alert.key, "reason": alert.message})
        alert_ended.send(Alert, message=alert.message, about=alert.about)
        _notify(alert, "ended")
    return True


def open_alerts() -> QuerySet[Alert]:
    """Return the alerts that were reported and have not ended, the newest first."""
    return Alert.objects.filter(ended_at=None).exclude(notified_at=None)


def _notify(alert: Alert, event: str) -> None:
    now = timezone.now()
    in_use = channels.configured()
    for channel in in_use:
        Notification.objects.create(alert=alert, event=event, channel=channel, made_at=now, due_at=now)
    if in_use:
        enqueue(DELIVER_JOB)


def _line(message: str) -> str:
    return shorten(one_line(redact(message).text), MAX_MESSAGE) or "no reason given"
