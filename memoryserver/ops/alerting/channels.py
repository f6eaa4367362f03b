"""Channels for alerts: mail and a webhook, each if configured."""

from __future__ import annotations

from typing import Any

import orjson
from django.conf import settings
from django.core.mail import EmailMessage

from memoryserver.common.redaction import redact
from memoryserver.common.text import one_line, shorten
from memoryserver.ops.models import Notification
from memoryserver.webhooks import sending
from memoryserver.webhooks.sending import WebhookError

TIMEOUT = 10.0  # seconds


class ChannelError(Exception):
    """A message could not be sent; one line that says why, without the address, which may contain a secret."""


def configured() -> list[str]:
    """Return the names of the configured channels."""
    return [name for name, used in (("mail", settings.ALERT_EMAIL), ("webhook", settings.ALERT_WEBHOOK)) if used]


def send(notification: Notification) -> None:
    """Send `notification` by its channel. Raises ChannelError."""
    if notification.channel not in configured():
        raise ChannelError(f"alerts by {notification.channel} are no longer configured")
    {"mail": _mail, "webhook": _post}[notification.channel](notification)


def text_of(notification: Notification) -> str:
    """Return the notification as one line."""
    over = "over: " if notification.event == "ended" else ""
    return f"memoryserver: {over}{notification.alert.message}"


def _mail(notification: Notification) -> None:
    alert = notification.alert
    lines = [alert.message, "", f"began {alert.began_at:%Y-%m-%d %H:%M:%S} UTC"]
    if notification.event == "ended" and alert.ended_at:
        lines.append(f"over  {alert.ended_at:%Y-%m-%d %H:%M:%S} UTC")
    lines += [f"about {name}" for name in alert.about[:20]]
    message = EmailMessage(shorten(text_of(notification), 150), "\n".join(lines) + "\n", to=settings.ALERT_EMAIL)
    try:
        message.send()
    except OSError as error:  # smtplib's errors are of this kind too
        raise ChannelError(f"the mail server did not accept the message: {_reason(error)}") from error


def _post(notification: Notification) -> None:
    """Post the notification as JSON; `text` is the field that chat programs display."""
    try:
        sending.post(settings.ALERT_WEBHOOK, orjson.dumps(_body(notification)), timeout=TIMEOUT)
    except WebhookError as error:
        raise ChannelError(_reason(error)) from error


def _body(notification: Notification) -> dict[str, Any]:
    alert = notification.alert
    return {
        "text": text_of(notification),
        "event": notification.event,
        "alert": alert.key,
        "message": alert.message,
        "about": alert.about,
        "began_at": alert.began_at,
        "ended_at": alert.ended_at,
        "id": f"{alert.pk or f'{alert.key}-{alert.began_at:%Y%m%dT%H%M%SZ}'}-{notification.event}",
    }


def _reason(error: Exception) -> str:
    return shorten(one_line(redact(str(error)).text) or type(error).__name__, 300)
