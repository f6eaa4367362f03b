"""The list of entries: filters, and pages of the visible ones, the latest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from ghap import models
from ghap.local import ConfidenceTier, Domain, OutcomeStatus, Strategy
from ghap.models import DECIDED, Entry
from ghap.reading import visible
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.common.text import clean
from memoryserver.home.scope import EVERYTHING

LATEST_FIRST = ("-captured_at", "-pk")
OUTCOMES = {
    "": "confirmed and falsified",
    **{status.value: status.value for status in OutcomeStatus},
    "all": "all outcomes",
    "open": "open now",
}
DOMAINS = tuple(domain.value for domain in Domain)
STRATEGIES = tuple(strategy.value for strategy in Strategy)
SOUND = "sound"
"""The filter of tiers that leaves out poor hypotheses, of which no share is counted."""
TIERS = {"": "all tiers", **{tier.value: tier.value for tier in ConfidenceTier}, SOUND: "without poor ones"}


@dataclass(frozen=True)
class Filter:
    """Conditions on entries, each empty for no condition.

    `outcome` is a key of OUTCOMES: "" leaves out abandoned entries, "all" does not. `tier` is a key of TIERS, `person`
    a user's name, `project` a stored key, and `session` the id of the journal's session or of the agent's. `since` and
    `until` are about the time of the outcome, of an open entry about its beginning; `until` itself is left out.
    """

    person: str = ""
    outcome: str = ""
    domain: str = ""
    strategy: str = ""
    tier: str = ""
    project: str = ""
    session: str = ""
    since: datetime | None = None
    until: datetime | None = None


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
    rows = visible(user).filter(condition(filters, "captured_at", "session_id"))
    if filters.outcome != "all":
        rows = rows.filter(outcome_status__in=[clean(filters.outcome)] if filters.outcome else DECIDED)
    if filters.tier == SOUND:
        return rows.filter(models.SOUND)
    return rows.filter(confidence_tier=clean(filters.tier)) if filters.tier else rows


def condition(filters: Filter, moment: str, session: str) -> Q:
    """Return what `filters` say but for outcome and tier, which open entries do not have.

    It is a condition on rows whose time is in the field `moment`, and whose journal's session in `session`.
    """
    values = {
        "user__username": clean(filters.person),
        "project__key": filters.project,
        "domain": clean(filters.domain),
        "strategy": clean(filters.strategy),
        f"{moment}__gte": filters.since,
        f"{moment}__lt": filters.until,
    }
    condition = Q(**{name: value for name, value in values.items() if value})
    if filters.session:
        session_id = clean(filters.session)
        condition &= Q((session, session_id)) | Q(agent_session=session_id)
    return condition
