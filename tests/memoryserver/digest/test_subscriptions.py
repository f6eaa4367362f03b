"""Who gets the weekly mail, and when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.digest import subscriptions
from memoryserver.digest.models import Subscription


@pytest.mark.parametrize(
    ("zone", "moment", "monday"),
    [
        ("", datetime(2026, 11, 25, 12, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
        ("", datetime(2026, 11, 30, 6, 59, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
        ("", datetime(2026, 11, 30, 7, tzinfo=UTC), datetime(2026, 12, 7, 7, tzinfo=UTC)),
        ("", datetime(2026, 11, 29, 23, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
        ("Asia/Tokyo", datetime(2026, 11, 29, 21, 59, tzinfo=UTC), datetime(2026, 11, 29, 22, tzinfo=UTC)),
        ("Asia/Tokyo", datetime(2026, 11, 29, 22, tzinfo=UTC), datetime(2026, 12, 6, 22, tzinfo=UTC)),
        ("America/Los_Angeles", datetime(2026, 11, 30, 7, tzinfo=UTC), datetime(2026, 11, 30, 15, tzinfo=UTC)),
        # summer time begins on the Sunday before
        ("Europe/Berlin", datetime(2026, 3, 27, 12, tzinfo=UTC), datetime(2026, 3, 30, 5, tzinfo=UTC)),
    ],
)
def test_mail_is_due_on_the_next_monday_at_seven_there(zone: str, moment: datetime, monday: datetime) -> None:
    assert subscriptions.next_monday(moment, User(time_zone=zone)) == monday


def test_mail_follows_a_new_time_zone_unless_it_is_due(alice: User) -> None:
    alice.email, alice.time_zone = "alice@example.org", "Asia/Tokyo"
    subscriptions.subscribe(alice)
    alice.time_zone = "America/Los_Angeles"

    subscriptions.put_off(alice)
    moved = Subscription.objects.get().due_at
    Subscription.objects.update(due_at=timezone.now())
    subscriptions.put_off(alice)

    assert moved == subscriptions.next_monday(timezone.now(), alice)
    assert Subscription.objects.get().due_at <= timezone.now()


def test_subscribing_again_changes_nothing_and_unsubscribing_ends_it(alice: User) -> None:
    alice.email = "alice@example.org"
    first = subscriptions.subscribe(alice)
    assert subscriptions.subscribe(alice) == first
    assert (first.due_at > timezone.now(), subscriptions.of_key(first.key)) == (True, first)

    subscriptions.unsubscribe(alice)
    assert (Subscription.objects.count(), subscriptions.of_key(first.key)) == (0, None)


def test_without_an_address_there_is_no_mail(alice: User) -> None:
    with pytest.raises(ValueError, match="you have no mail address"):
        subscriptions.subscribe(alice)
