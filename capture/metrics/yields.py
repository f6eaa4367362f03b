"""How many transcripts and sessions yielded learnings."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from capture.models import CaptureState

SESSION_MESSAGES = 3
"""Messages from which on a transcript counts as a session: a request, an answer and what came of it."""

MAX_GROUPS = 20
_SESSION, _GOOD = Q(message_count__gte=SESSION_MESSAGES), Q(learnings_delivered__gt=0)


@dataclass(frozen=True)
class Yield:
    """The number of contexts with messages, of those that are sessions, and of those of each with learnings."""

    name: str
    contexts: int
    with_learnings: int
    sessions: int
    sessions_with_learnings: int

    @property
    def share(self) -> float | None:
        """The share of sessions with learnings, from 0 to 1; None without sessions."""
        return self.sessions_with_learnings / self.sessions if self.sessions else None

    @property
    def percent(self) -> int:
        """The share in percent, rounded down, so that it is never rounded up to the target."""
        return math.floor(100 * (self.share or 0))

    @property
    def percent_of_contexts(self) -> int:
        """The share of all contexts with learnings in percent, rounded down."""
        return 100 * self.with_learnings // self.contexts if self.contexts else 0


def of(name: str, contexts: QuerySet[CaptureState]) -> Yield:
    """Return the yield of `contexts` under `name`."""
    counted = contexts.filter(message_count__gt=0).aggregate(
        all=Count("pk"),
        good=Count("pk", filter=_GOOD),
        sessions=Count("pk", filter=_SESSION),
        good_sessions=Count("pk", filter=_SESSION & _GOOD),
    )
    return Yield(name, counted["all"], counted["good"], counted["sessions"], counted["good_sessions"])


def by_group(contexts: QuerySet[CaptureState], field: str) -> list[Yield]:
    """Return the yield by group, the largest groups first."""
    counted = (
        contexts.filter(message_count__gt=0)
        .order_by()
        .values_list(Coalesce(field, Value("")))
        .annotate(all=Count("pk"), good=Count("pk", filter=_GOOD))
        .annotate(sessions=Count("pk", filter=_SESSION), good_sessions=Count("pk", filter=_SESSION & _GOOD))
        .order_by("-all", field)
    )
    return [Yield(*row) for row in counted[:MAX_GROUPS]]
