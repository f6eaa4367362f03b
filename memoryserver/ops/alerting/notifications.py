"""Sending of notifications, with retries; any process may send them."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from memoryserver.ops.alerting import channels
from memoryserver.ops.models import Notification

logger = logging.getLogger(__name__)

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=2)


def deliver() -> int:
    """Send the notifications that are due and return how many were sent.

    An attempt is counted before it is made, and made by one process only.
    """
    sent = 0
    while (notification := _claim()) is not None:
        sent += _send(notification)
    return sent


def _claim() -> Notification | None:
    """Return the next notification that is due, rescheduled for its next attempt.

    The end of an alert is sent only after its beginning.
    """
    now = timezone.now()
    unsent = Notification.objects.filter(sent_at=None, made_at__gt=now - GIVE_UP_AFTER)
    earlier = unsent.filter(alert=OuterRef("alert"), channel=OuterRef("channel"), pk__lt=OuterRef("pk"))
    with transaction.atomic():
        due = unsent.filter(~Exists(earlier), due_at__lte=now)
        notification = due.select_for_update(skip_locked=True).order_by("due_at", "pk").first()
        if notification is None:
            return None
        notification.due_at = now + min(FIRST_PAUSE * 2 ** min(notification.attempts, 12), LONGEST_PAUSE)
        notification.attempts += 1
        notification.save(update_fields=["due_at", "attempts"])
    return notification


def _send(notification: Notification) -> bool:
    try:
        channels.send(notification)
    except channels.ChannelError as error:
        notification.error = str(error)
        notification.save(update_fields=["error"])
        logger.warning(
            "a notification could not be sent",
            extra={"channel": notification.channel, "attempt": notification.attempts, "reason": str(error)},
        )
        return False
    notification.sent_at, notification.error = timezone.now(), ""
    notification.save(update_fields=["sent_at", "error"])
    return True
