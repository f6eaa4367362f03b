"""The sending of weekly mails: when they are due, and what happens if the mail server does not take them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.digest import sending, subscriptions
from memoryserver.digest.models import Subscription
from memoryserver.ops.alerting.alerts import open_alerts
from tests.support.rows.factories import UserFactory
from tests.support.rows.sent_calls import call
from trajectory.intake import receive


def due(user: User) -> Subscription:
    user.email = f"{user.username}@example.org"
    user.save()
    receive(user, None, "s-1", "", [call(1)])
    row = subscriptions.subscribe(user)
    Subscription.objects.filter(pk=row.pk).update(due_at=timezone.now())
    return row


def test_mail_that_is_due_is_sent_once_and_then_next_week(alice: User) -> None:
    due(alice)

    assert [sending.send_due(), sending.send_due()] == [1, 0]

    row = Subscription.objects.get()
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]
    assert (row.attempts, row.sent_at is not None, row.due_at) == (
        0,
        True,
        subscriptions.next_monday(timezone.now(), alice),
    )


def test_user_who_left_or_has_no_address_gets_none(alice: User, bob: User) -> None:
    due(alice)
    due(bob)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    User.objects.filter(pk=bob.pk).update(email="")

    assert (sending.send_due(), mail.outbox) == (0, [])


@pytest.mark.django_db
def test_nothing_to_tell_is_no_mail_and_is_asked_again_next_week() -> None:
    user = UserFactory(username="newcomer", email="n@example.org")
    subscriptions.subscribe(user)
    Subscription.objects.update(due_at=timezone.now())

    assert (sending.send_due(), mail.outbox) == (0, [])
    assert Subscription.objects.get().due_at == subscriptions.next_monday(timezone.now(), user)


def test_mail_that_fails_is_tried_again_alerts_and_ends_the_alert_when_it_is_sent(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    due(alice)

    def refuse(message: Any, *args: Any) -> int:
        raise ConnectionRefusedError("no such host")

    with monkeypatch.context() as patched:
        patched.setattr(EmailMultiAlternatives, "send", refuse)
        for attempt in range(1, sending.ALERT_AFTER + 1):
            assert sending.send_due() == 0
            row = Subscription.objects.get()
            assert (row.attempts, row.error, row.due_at > timezone.now()) == (attempt, "no such host", True)
            assert open_alerts().exists() == (attempt >= sending.ALERT_AFTER)
            Subscription.objects.update(due_at=timezone.now())

    assert (sending.send_due(), open_alerts().exists(), Subscription.objects.get().error) == (1, False, "")


def test_mail_that_is_refused_for_two_days_waits_for_the_next_week(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    due(alice)
    Subscription.objects.update(attempts=sending.ATTEMPTS - 1)
    monkeypatch.setattr(EmailMultiAlternatives, "send", lambda *_: (_ for _ in ()).throw(OSError("full")))

    sending.send_due()

    row = Subscription.objects.get()
    assert (row.attempts, row.due_at) == (0, subscriptions.next_monday(timezone.now(), alice))


def test_attempt_is_counted_before_it_is_made(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    due(alice)

    def die(row: Subscription) -> None:
        raise SystemExit

    monkeypatch.setattr(sending, "message_to", die)
    with pytest.raises(SystemExit):
        sending.send_due()

    row = Subscription.objects.get()
    assert (row.attempts, row.due_at > timezone.now() + timedelta(minutes=5)) == (1, True)
