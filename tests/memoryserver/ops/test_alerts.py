"""Alerts are told once when they begin and once when they are over, by mail and webhook too."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.conf import settings as the_settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ

from memoryserver import environment
from memoryserver.accounts.models import User
from memoryserver.ops import alerts, notifications
from memoryserver.ops.models import Alert, Notification
from obslog.models import Observation


class SmtpSink(socketserver.StreamRequestHandler):
    """Takes mail as a mail server does; what it took is in the server's `taken`."""

    def handle(self) -> None:
        self._say("220 ready")
        lines: list[str] = []
        while (line := self.rfile.readline().decode().rstrip("\r\n")) or lines:
            word = line[:4].upper()
            if word == "DATA":
                self._say("354 go on")
                body = []
                while (part := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    body.append(part)
                self.server.taken.append("\n".join(body))  # type: ignore[attr-defined]
            self._say("221 bye" if word == "QUIT" else "250 ok")
            if word == "QUIT":
                return

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Hook(BaseHTTPRequestHandler):
    """Takes a POST, and answers with the next of the server's `answers`, 204 when there is none left."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append(json.loads(body))  # type: ignore[attr-defined]
        answers: list[int] = self.server.answers  # type: ignore[attr-defined]
        self.send_response(answers.pop(0) if answers else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class has it so
        pass


@contextmanager
def running(server: Any) -> Iterator[Any]:
    server.taken, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def mail(settings: Any) -> Iterator[Any]:
    with running(socketserver.ThreadingTCPServer(("127.0.0.1", 0), SmtpSink)) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        settings.ALERT_EMAIL = ["ops@example.org"]
        yield server


@pytest.fixture
def hook(settings: Any) -> Iterator[Any]:
    with running(ThreadingHTTPServer(("127.0.0.1", 0), Hook)) as server:
        settings.ALERT_WEBHOOK = f"http://127.0.0.1:{server.server_address[1]}/alerts"
        yield server


def make_due() -> None:
    Notification.objects.filter(sent_at=None).update(due_at=timezone.now() - timedelta(seconds=1))


def told() -> list[tuple[str, str]]:
    return [(row.type, row.message) for row in Observation.objects.order_by("arrival")]


def test_trouble_is_told_when_it_begins_and_when_it_is_over_and_not_in_between(db: None) -> None:
    assert [alerts.begin("disk", "the disk is full", about=["sda"]) for _ in range(3)] == [True, False, False]
    assert [alert.times for alert in alerts.open_alerts()] == [3]
    assert [alerts.end("disk"), alerts.end("disk")] == [True, False]

    assert told() == [
        ("server.alert", "the disk is full"),
        ("server.alert_ended", "over: the disk is full"),
    ]
    assert not alerts.open_alerts().exists()


def test_trouble_that_comes_again_is_another_alert(db: None) -> None:
    for _ in range(2):
        alerts.begin("disk", "the disk is full")
        alerts.end("disk")

    assert (Alert.objects.count(), len(told())) == (2, 4)


def test_trouble_is_told_only_when_it_lasts(db: None) -> None:
    assert [alerts.begin("job x", "x fails", after=3) for _ in range(2)] == [False, False]
    assert alerts.end("job x") is False
    assert told() == []

    assert [alerts.begin("job x", "x fails", after=3) for _ in range(4)] == [False, False, True, False]


def test_message_of_several_lines_is_told_as_one(db: None) -> None:
    alerts.begin("x", "first\nsecond\r\nthird")

    assert Alert.objects.get().message == "first second third"


def test_without_addresses_nothing_goes_out(db: None) -> None:
    alerts.begin("disk", "the disk is full")

    assert (Notification.objects.count(), OrmQ.objects.count()) == (0, 0)


def test_mail_goes_to_the_people_in_the_settings(db: None, mail: Any) -> None:
    alerts.begin("disk", "the disk is full", about=["sda"])
    alerts.end("disk")
    assert [waiting.name() for waiting in OrmQ.objects.all()] == [alerts.DELIVER_JOB] * 2

    assert (notifications.deliver(), notifications.deliver()) == (2, 0)

    began, ended = mail.taken
    assert "To: ops@example.org" in began
    assert "Subject: memoryserver: the disk is full" in began
    assert "about sda" in began
    assert "Subject: memoryserver: over: the disk is full" in ended


def test_webhook_gets_json(db: None, hook: Any) -> None:
    alerts.begin("disk", "the disk is full", about=["sda"])
    notifications.deliver()

    (body,) = hook.taken
    assert body["began_at"] == Alert.objects.get().began_at.isoformat()
    assert {name: body[name] for name in ("text", "event", "alert", "message", "about", "ended_at")} == {
        "text": "memoryserver: the disk is full",
        "event": "began",
        "alert": "disk",
        "message": "the disk is full",
        "about": ["sda"],
        "ended_at": None,
    }


def test_webhook_that_fails_is_tried_again_later_and_in_order(db: None, hook: Any) -> None:
    hook.answers = [500, 503]
    alerts.begin("disk", "the disk is full")
    alerts.end("disk")

    assert notifications.deliver() == 0
    waiting = Notification.objects.get(event="began")
    assert (waiting.attempts, waiting.error) == (1, "the webhook responded with HTTP status 500")
    assert notifications.deliver() == 0
    assert len(hook.taken) == 1

    make_due()
    assert notifications.deliver() == 0
    make_due()
    assert notifications.deliver() == 2
    assert [body["event"] for body in hook.taken] == ["began", "began", "began", "ended"]


def test_channel_that_is_away_holds_up_no_other_and_its_address_is_not_told(db: None, mail: Any, settings: Any) -> None:
    settings.ALERT_WEBHOOK = "http://127.0.0.1:9/secret-part"
    alerts.begin("disk", "the disk is full")

    assert notifications.deliver() == 1
    assert len(mail.taken) == 1
    assert "secret-part" not in Notification.objects.get(channel="webhook").error


def test_two_deliverers_send_each_once(transactional_db: None, hook: Any) -> None:
    for number in range(6):
        alerts.begin(f"trouble {number}", f"trouble {number}")

    def work() -> None:
        notifications.deliver()
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(body["alert"] for body in hook.taken) == [f"trouble {number}" for number in range(6)]


def test_two_that_find_the_same_trouble_tell_it_once(transactional_db: None) -> None:
    results: list[bool] = []

    def work() -> None:
        results.append(alerts.begin("disk", "the disk is full"))
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (sorted(results), Alert.objects.get().times) == ([False, False, False, True], 4)


def test_administrator_sees_alerts_and_can_end_one(alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = Client()
    client.force_login(alice)
    alerts.begin("disk", "the disk is full")

    page = client.get("/admin/ops/alert/").content.decode()
    client.post("/admin/ops/alert/", {"action": "end", "_selected_action": [Alert.objects.get().pk]})

    assert "the disk is full" in page
    assert not alerts.open_alerts().exists()


def test_webhook_that_is_no_web_address_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_ALERT_WEBHOOK", "file:///etc/passwd")

    with pytest.raises(ImproperlyConfigured, match="MEMORYSERVER_ALERT_WEBHOOK must be an address"):
        environment.web_address("MEMORYSERVER_ALERT_WEBHOOK")


def test_mail_waits_no_longer_than_ten_seconds() -> None:
    assert the_settings.EMAIL_TIMEOUT == 10
