"""The list of entries: filters, and pages of the visible ones, the latest first."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from ghap import models
from ghap.local import ConfidenceTier, Domain, OutcomeStatus, Strategy
from ghap.models import DECIDED, Entry
from ghap.reading import visible
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.common.text import clean

LATEST_FIRST = ("-captured_at", "-pk")
OUTCOMES = {
    "": "confirmed and falsified",
    **{status.value: status.value for status in OutcomeStatus},
    "all": "all outcomes",
    "open": "open now",
}
EVERYTHING = Q()
DOMAINS = tuple(domain.value for domain in Domain)
STRATEGIES = tuple(strategy.value for strategy in Strategy)
SOUND = "sound"
"""The filter of tiers that leaves out poor hypotheses, of which no share is counted."""
TIERS = {"": "all tiers", **{tier.value: tier.value for tier in ConfidenceTier}, SOUND: "without poor ones"}


@dataclass(frozen=True)
class Filter:
    """Conditions on entries, each "" for no condition.

    `outcome` is a key of OUTCOMES: "" leaves out abandoned entries, "all" does not. `person` is a user's name.
    `tier` is a key of TIERS.
    """

    person: str = ""
    outcome: str = ""
    domain: str = ""
    strategy: str = ""
    tier: str = ""


def find(
    user: User | AnonymousUser, filters: Filter, *, limit: int, cursor: str = "", within: Q = EVERYTHING
) -> keyset.Page[Entry]:
    """Return at most `limit` of the entries `within` a scope that `user` may see, the latest first.

    Raises InvalidCursorError.
    """
    rows = matching(user, filters).filter(within)
    return keyset.page_of(rows, LATEST_FIRST, limit=limit, cursor=cursor, keys_first=True)


def matching(user: User | AnonymousUser, filters: Filter) -> QuerySet[Entry]:
    """Return the entries that `user` may see and that match `filters`; unknown values match nothing."""
    rows = visible(user)
    if filters.outcome != "all":
        rows = rows.filter(outcome_status__in=[clean(filters.outcome)] if filters.outcome else DECIDED)
    conditions = {
        "user__username": filters.person,
        "domain": filters.domain,
        "strategy": filters.strategy,
        "confidence_tier": "" if filters.tier == SOUND else filters.tier,
    }
    rows = rows.filter(models.SOUND) if filters.tier == SOUND else rows
    return rows.filter(**{name: clean(value) for name, value in conditions.items() if value})
