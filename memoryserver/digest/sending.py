"""The sending of the weekly mails that are due, and what happens if the mail server does not take them."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from memoryserver.accounts.time_zones import zone_of
from memoryserver.common.redaction import redact
from memoryserver.common.text import one_line, shorten
from memoryserver.digest.mail import message_to
from memoryserver.digest.models import Subscription
from memoryserver.digest.subscriptions import next_monday
from memoryserver.ops.alerting import alerts

logger = logging.getLogger(__name__)

ALERT = "weekly mail"
ALERT_AFTER = 3  # attempts that fail in a row
FIRST_PAUSE = timedelta(minutes=10)
LONGEST_PAUSE = timedelta(hours=6)
ATTEMPTS = 12  # about two days


def send_due() -> int:
    """Send the mails that are due and return how many were sent; one that fails is tried again after a pause.

    The next attempt is scheduled before the mail is sent, so one that kills its worker is not sent again and again.
    """
    sent = 0
    while (subscription := _claim()) is not None:
        sent += _send(subscription)
    return sent


def _claim() -> Subscription | None:
    """Return a subscription that is due, with its next attempt scheduled."""
    now = timezone.now()
    with transaction.atomic():
        due = Subscription.objects.select_for_update(skip_locked=True, of=("self",)).select_related("user")
        row = due.filter(due_at__lte=now, user__is_active=True).exclude(user__email="").first()
        if row is None:
            return None
        row.attempts += 1
        pause = min(FIRST_PAUSE * 2 ** min(row.attempts - 1, 10), LONGEST_PAUSE)
        row.due_at = now + pause if row.attempts < ATTEMPTS else next_monday(now, row.user)
        row.save(update_fields=["attempts", "due_at"])
    return row


def _send(row: Subscription) -> bool:
    try:
        with timezone.override(zone_of(row.user)):
            message = message_to(row)
        if message is not None:
            message.send()
    except OSError as error:  # smtplib's errors are of this kind too
        row.error = shorten(one_line(redact(str(error)).text) or type(error).__name__, 300)
        row.attempts = 0 if row.attempts >= ATTEMPTS else row.attempts
        row.save(update_fields=["error", "attempts"])
        logger.warning("a weekly mail could not be sent", extra={"user": row.user_id, "reason": row.error})
        alerts.begin(ALERT, f"a weekly mail could not be sent: {row.error}", after=ALERT_AFTER)
        return False
    now = timezone.now()
    row.sent_at = now if message is not None else row.sent_at
    row.due_at, row.attempts, row.error = next_monday(now, row.user), 0, ""
    row.save(update_fields=["sent_at", "due_at", "attempts", "error"])
    alerts.end(ALERT)
    return message is not None
