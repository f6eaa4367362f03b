"""Who gets the weekly mail, and when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.digest import subscriptions
from memoryserver.digest.models import Subscription


@pytest.mark.parametrize(
    ("moment", "monday"),
    [
        (datetime(2026, 11, 25, 12, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
        (datetime(2026, 11, 30, 6, 59, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
        (datetime(2026, 11, 30, 7, tzinfo=UTC), datetime(2026, 12, 7, 7, tzinfo=UTC)),
        (datetime(2026, 11, 29, 23, tzinfo=UTC), datetime(2026, 11, 30, 7, tzinfo=UTC)),
    ],
)
def test_mail_is_due_on_the_next_monday_at_seven(moment: datetime, monday: datetime) -> None:
    assert subscriptions.next_monday(moment) == monday


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
