from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from email import message_from_string, policy
from email.message import EmailMessage
from typing import Any

import pytest

from memoryserver.ops.alerting import alerts, channels, notifications
from memoryserver.ops.alerting.channels import ChannelError
from memoryserver.ops.models import Alert, Notification
from tests.memoryserver.ops.receivers import MailServer, Webhook


def test_webhook_gets_json(db: None, hook: Webhook) -> None:
    alerts.begin("disk", "the disk is full", about=["sda"])
    notifications.deliver()

    (body,) = hook.bodies
    assert body["began_at"] == Alert.objects.get().began_at.isoformat()
    assert {name: body[name] for name in ("text", "event", "alert", "message", "about", "ended_at")} == {
        "text": "memoryserver: the disk is full",
        "event": "began",
        "alert": "disk",
        "message": "the disk is full",
        "about": ["sda"],
        "ended_at": None,
    }


def notification(message: str = "the disk is full", event: str = "began", channel: str = "mail") -> Notification:
    """A notification that is in no database."""
    began = datetime(2026, 11, 20, 12, 30, tzinfo=UTC)
    ended = began + timedelta(hours=1) if event == "ended" else None
    alert = Alert(pk=7, key="disk", message=message, about=["sda", "sdb"], began_at=began, ended_at=ended)
    return Notification(alert=alert, event=event, channel=channel)


@pytest.mark.parametrize(
    ("people", "webhook", "names"),
    [
        ([], "", []),
        (["ops@example.org"], "", ["mail"]),
        ([], "https://example.org/", ["webhook"]),
        (["ops@example.org"], "https://example.org/", ["mail", "webhook"]),
    ],
)
def test_channels_in_use_are_those_with_an_address(
    settings: Any, people: list[str], webhook: str, names: list[str]
) -> None:
    settings.ALERT_EMAIL, settings.ALERT_WEBHOOK = people, webhook

    assert channels.configured() == names


@pytest.mark.parametrize("channel", ["mail", "webhook"])
def test_channel_that_is_no_longer_in_use_is_an_error(settings: Any, channel: str) -> None:
    settings.ALERT_EMAIL, settings.ALERT_WEBHOOK = [], ""

    with pytest.raises(ChannelError, match=f"^alerts by {channel} are no longer configured$"):
        channels.send(notification(channel=channel))


def test_mail_says_what_about_and_since_when(mail: MailServer) -> None:
    channels.send(notification(event="ended"))

    (text,) = mail.messages
    headers, _, body = text.partition("\n\n")
    assert "\nSubject: memoryserver: over: the disk is full\n" in f"\n{headers}\n"
    assert body.rstrip() == (
        "the disk is full\n\nbegan 2026-11-20 12:30:00 UTC\nover  2026-11-20 13:30:00 UTC\nabout sda\nabout sdb"
    )


def test_subject_of_a_long_message_is_shortened_and_its_text_is_not(mail: MailServer) -> None:
    channels.send(notification("the disk is full " * 50))

    message = message_from_string(mail.messages[0], policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert len(message["Subject"].strip()) == 150
    assert message.get_content().count("the disk is full") == 50


def test_mail_server_that_is_away_is_an_error_with_its_reason(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.ALERT_EMAIL, settings.EMAIL_HOST, settings.EMAIL_PORT = ["ops@example.org"], "127.0.0.1", 9

    with pytest.raises(ChannelError, match=r"^the mail server did not accept the message: .*refused"):
        channels.send(notification())


@pytest.mark.parametrize("status", [300, 401, 500])
def test_webhook_that_does_not_accept_is_an_error_with_its_status(hook: Webhook, status: int) -> None:
    hook.statuses = [status]

    with pytest.raises(ChannelError, match=f"^the webhook responded with HTTP status {status}$"):
        channels.send(notification(channel="webhook"))


def test_webhook_that_does_not_speak_http_is_an_error_without_its_address(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.ALERT_WEBHOOK = f"http://127.0.0.1:{server.getsockname()[1]}/secret-part"
        thread = threading.Thread(target=answer_nonsense, args=[server])
        thread.start()

        with pytest.raises(ChannelError, match="^the webhook could not be reached: ") as caught:
            channels.send(notification(channel="webhook"))
        thread.join()

    assert "secret-part" not in str(caught.value)


def answer_nonsense(server: socket.socket) -> None:
    """Read one request and answer with what is not HTTP."""
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


@pytest.mark.parametrize(
    ("event", "text"), [("began", "memoryserver: the disk is full"), ("ended", "memoryserver: over: the disk is full")]
)
def test_notification_is_one_line(event: str, text: str) -> None:
    assert channels.text_of(notification(event=event)) == text
