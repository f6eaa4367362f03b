"""What the weekly mail says."""

from __future__ import annotations

from typing import Any

import pytest

from capture import sink
from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from memoryserver.digest import subscriptions
from memoryserver.digest.mail import message_to
from memoryserver.digest.models import Subscription
from tests.capture.test_sink import capture, learning
from tests.support.ghap_entries import body
from tests.support.sent_calls import call, same
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
        for part in ("Agents", "Stuck now", "Outcomes by week", "https://memory.example.org/trajectory/", link):
            assert part in text
    assert "Fix <the> cart & more" in message.body
    assert "Fix &lt;the&gt; cart &amp; more" in html
