"""The weekly mail to one person, in text and HTML; its content is that of the home page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from memoryserver.digest.models import Subscription
from memoryserver.home import server
from memoryserver.home.parts import all_parts
from memoryserver.home.scope import PageScope
from memoryserver.home.weeks import monday_of

DAYS = 7


def message_to(subscription: Subscription) -> EmailMultiAlternatives | None:
    """Return the mail of the last week that is over; None while there is nothing to tell, as on a server without data.

    The week is one of the time zone that is active.
    """
    now = timezone.now()
    monday = monday_of(now)
    scope = PageScope(subscription.user, "", DAYS, now, until=monday)
    parts = [server.PART, *all_parts()]
    if not any(step.done for part in parts for step in part.steps(scope)):
        return None
    base = settings.PUBLIC_URL.rstrip("/")
    unsubscribe = base + reverse("digest-unsubscribe", args=[subscription.key])
    context: dict[str, Any] = {
        "user": subscription.user,
        "first_day": scope.since,
        "last_day": monday - timedelta(days=1),
        "base": base,
        "unsubscribe": unsubscribe,
        "problems": [health for part in parts for health in part.health(scope) if not health.good],
        "tiles": [tile for part in parts for tile in part.tiles(scope)],
        "cards": [card for part in parts for card in (*part.cards(scope), *part.figures(scope)) if card.lines],
    }
    message = EmailMultiAlternatives(
        f"The memory, week from {scope.since:%Y-%m-%d} to {monday - timedelta(days=1):%Y-%m-%d}",
        render_to_string("digest/mail.txt", context),
        to=[subscription.user.email],
        headers={"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    message.attach_alternative(render_to_string("digest/mail.html", context), "text/html")
    return message
