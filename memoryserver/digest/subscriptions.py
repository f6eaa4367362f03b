"""Beginning and ending the weekly mail, and when it is due: on Monday at seven, UTC."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.digest.models import Subscription

HOUR = 7


def next_monday(moment: datetime) -> datetime:
    """Return the first Monday at HOUR (UTC) after `moment`."""
    monday = moment.replace(hour=HOUR, minute=0, second=0, microsecond=0) - timedelta(days=moment.weekday())
    return monday if monday > moment else monday + timedelta(weeks=1)


def subscribe(user: User) -> Subscription:
    """Let `user` get the mail from next Monday on; nothing changes for those who do.

    Raises ValueError if they have no address.
    """
    if not user.email:
        raise ValueError("you have no mail address; enter one on your profile")
    row, _ = Subscription.objects.get_or_create(user=user, defaults={"due_at": next_monday(timezone.now())})
    return row


def unsubscribe(user: User) -> None:
    """Let `user` get no more mail."""
    Subscription.objects.filter(user=user).delete()


def of_key(key: uuid.UUID) -> Subscription | None:
    """Return the subscription of a link; None if it has ended."""
    return Subscription.objects.select_related("user").filter(key=key).first()
