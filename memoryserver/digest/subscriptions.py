"""Beginning and ending the weekly mail, and when it is due: on Monday at seven, in the person's time zone."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from memoryserver.accounts.mailing import are_mails_sent
from memoryserver.accounts.models import User
from memoryserver.accounts.time_zones import zone_of
from memoryserver.digest.models import Subscription
from memoryserver.errors import InvalidInputError

HOUR = 7


def next_monday(moment: datetime, user: User) -> datetime:
    """Return the first Monday at HOUR after `moment`, in the time zone that `user` has chosen, by default UTC."""
    local = moment.astimezone(zone_of(user))
    monday = local.replace(hour=HOUR, minute=0, second=0, microsecond=0) - timedelta(days=local.weekday())
    return (monday if monday > local else monday + timedelta(weeks=1)).astimezone(UTC)


def subscribe(user: User) -> Subscription:
    """Let `user` get the mail from next Monday on; nothing changes for those who do.

    Raises InvalidInputError if they have no address, and on a server that sends no mail.
    """
    if not are_mails_sent():
        raise InvalidInputError("this server sends no mail; its administrator can set MEMORYSERVER_SMTP_URL")
    if not user.email:
        raise InvalidInputError("you have no mail address; enter one on your profile")
    row, _ = Subscription.objects.get_or_create(user=user, defaults={"due_at": next_monday(timezone.now(), user)})
    return row


def put_off(user: User) -> None:
    """Let the next mail come on the Monday of the time zone that `user` has chosen now, unless it is due already."""
    now = timezone.now()
    Subscription.objects.filter(user=user, due_at__gt=now, attempts=0).update(due_at=next_monday(now, user))


def unsubscribe(user: User) -> None:
    """Let `user` get no more mail."""
    Subscription.objects.filter(user=user).delete()


def of_key(key: uuid.UUID) -> Subscription | None:
    """Return the subscription of a link; None if it has ended."""
    return Subscription.objects.select_related("user").filter(key=key).first()
