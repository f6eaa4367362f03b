"""What the weekly mail says."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from capture import sink
from ghap.intake import receive
from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from memoryserver.digest import subscriptions
from memoryserver.digest.mail import message_to
from memoryserver.digest.models import Subscription
from tests.capture.test_sink import capture, learning
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call, same
from trajectory.intake import About
from trajectory.intake import receive as receive_calls


@pytest.fixture
def subscription(alice: User, settings: Any) -> Subscription:
    settings.PUBLIC_URL = "https://memory.example.org/"
    alice.email = "alice@example.org"
    alice.save()
    return subscriptions.subscribe(alice)


def test_server_without_data_has_nothing_to_tell(subscription: Subscription) -> None:
    assert message_to(subscription) is None


def test_mail_has_the_figures_and_links_in_both_forms(subscription: Subscription, shared_project: Project) -> None:
    alice = subscription.user
    stuck = [call(0), *[same(n) for n in range(1, 7)]]
    receive_calls(alice, shared_project, "s-1", "", stuck, about=About("Fix <the> cart & more"))
    receive(alice, shared_project, [body()])
    sink.store(alice, shared_project, capture(learning(confidence=0.95)))

    message = message_to(subscription)

    assert message is not None
    assert message.to == ["alice@example.org"]
    html = str(message.alternatives[0][0])
    link = f"https://memory.example.org/weekly-mail/{subscription.key}/unsubscribe/"
    assert message.extra_headers["List-Unsubscribe"] == f"<{link}>"
    for text in (message.body, html):
        for part in ("Agents", "Stuck now", "Outcomes by day", "https://memory.example.org/trajectory/", link):
            assert part in text
    assert "Fix <the> cart & more" in message.body
    assert "Fix &lt;the&gt; cart &amp; more" in html


def test_mail_of_a_job_worker_does_not_say_that_the_model_still_loads(
    subscription: Subscription, shared_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_loads_in_background", threading.Event())
    monkeypatch.setattr(embedding, "_loaded", threading.Event())
    receive(subscription.user, shared_project, [body()])

    message = message_to(subscription)

    assert message is not None
    assert ("job cluster: not seen yet" in message.body, "embedding model" in message.body) == (True, False)


def test_mail_is_of_the_calendar_week_before_in_the_readers_time_zone(
    subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 23, 7, tzinfo=UTC))  # a Monday
    for number, moment in enumerate(("2026-11-22T22:59:59Z", "2026-11-22T23:00:00Z", "2026-11-15T23:00:00Z")):
        sent = body(id=f"ghap_20260820_1430{number:02d}_a1b2c3", created_at="2026-08-20T14:30:22Z")
        receive(subscription.user, None, [sent | {"outcome": sent["outcome"] | {"captured_at": moment}}])

    with timezone.override(ZoneInfo("Europe/Berlin")):
        message = message_to(subscription)

    assert message is not None
    assert message.subject == "The memory, week from 2026-11-16 to 2026-11-22"
    assert "2 confirmed, 0 falsified, 0 abandoned" in message.body
