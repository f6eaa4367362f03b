"""API of the journal: laptops send resolved entries, and ask what worked and what keeps failing."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.utils import timezone
from ninja import Field, Query, Router, Schema

from ghap import clusters, intake, strategies
from ghap.local import Domain
from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.accounts.models import User
from memoryserver.accounts.projects import project_for, visible_key
from memoryserver.problems import Problem
from memoryserver.search.dates import parse_date

router = Router(tags=["ghap"])

BATCH_LIMIT = 100


class EntryBatch(Schema):
    """Entries of one project, each as the journal writes it."""

    project: str = ""
    entries: list[dict[str, Any]] = Field(min_length=1, max_length=BATCH_LIMIT)


class EntryReceipt(Schema):
    """What became of one entry."""

    id: str
    status: str
    reason: str | None = None


class EntryReceipts(Schema):
    """What became of each entry, in the order sent."""

    results: list[EntryReceipt]


@router.post("/entries", response=EntryReceipts, exclude_none=True, summary="Send resolved or abandoned entries")
def receive_entries(request: AuthenticatedRequest, batch: EntryBatch) -> dict[str, Any]:
    """Idempotent by entry id. A refused entry holds up no other: its result says why."""
    receipts = intake.receive(request.user, project_for(request.user, batch.project), batch.entries)
    return {"results": receipts}


class TallyOut(Schema):
    """How entries came out. The rate and the iterations are of the decided ones, and null where there are none."""

    entries: int
    confirmed: int
    falsified: int
    abandoned: int
    poor: int = Field(description="of the decided ones, those whose hypothesis is poor")
    confirmed_rate: float | None
    mean_iterations: float | None
    median_iterations: float | None


class StrategyOut(Schema):
    """One strategy, over all and in each domain."""

    strategy: str
    overall: TallyOut
    domains: dict[str, TallyOut]


class StrategiesOut(Schema):
    """The strategies that were used, the most used first."""

    strategies: list[StrategyOut]


class StrategyQuery(Schema):
    """What to count; `project` is a project's key.

    `since`, when an entry was resolved at the earliest, is a date, a time (UTC unless it says otherwise) or an age such
    as `30d`.
    """

    project: str | None = None
    domain: Domain | None = None
    since: str | None = None


@router.get("/strategies", response=StrategiesOut, summary="How well each strategy does")
def strategy_performance(request: AuthenticatedRequest, query: Annotated[StrategyQuery, Query()]) -> Any:
    """Counted over the entries that the token's user may see."""
    project = _key(request.user, query.project)
    found = strategies.performance(request.user, project=project, domain=query.domain, since=_moment(query.since))
    return {"strategies": found}


class MemberOut(Schema):
    """An entry of a cluster; `likeness` is its mean cosine to the others."""

    entry: str
    user: str
    goal: str
    likeness: float


class MedoidOut(Schema):
    """The entry that stands for its cluster, with what it says along the axis."""

    entry: str
    user: str
    goal: str
    text: str
    tier: str
    captured_at: datetime


class ClusterOut(Schema):
    """Entries that tell of the same; `members` are the most central ones."""

    axis: str
    project: str | None
    user: str | None = Field(description="whose own entries these are; null for a shared project's")
    size: int
    weight: float = Field(description="the entries, each counted by its tier")
    terms: list[str]
    medoid: MedoidOut
    members: list[MemberOut]


class ScopeOut(Schema):
    """Out of what the clusters were made; `note` where there were too many entries for all to go in."""

    axis: str
    project: str | None
    user: str | None
    computed_at: datetime
    total: int
    considered: int
    note: str | None


class ClustersOut(Schema):
    """The clusters, the heaviest first. They are made anew every night."""

    clusters: list[ClusterOut]
    scopes: list[ScopeOut]


class ClusterQuery(Schema):
    """Which clusters; `project` is a project's key."""

    axis: Literal["surprise", "root_cause"] | None = None
    project: str | None = None
    limit: int = Field(20, ge=1, le=100)


@router.get("/clusters", response=ClustersOut, summary="What goes wrong again and again")
def find_clusters(request: AuthenticatedRequest, query: Annotated[ClusterQuery, Query()]) -> Any:
    """Clusters of surprises and root causes, out of entries that the token's user may see."""
    return clusters.clusters_of(
        request.user, axis=query.axis, project=_key(request.user, query.project), limit=query.limit
    )


def _key(user: User, project: str | None) -> str | None:
    try:
        return None if project is None else visible_key(user, project)
    except ValueError as error:
        raise Problem(422, str(error)) from error


def _moment(since: str | None) -> datetime | None:
    try:
        return None if since is None else parse_date(since, timezone.now())
    except ValueError as error:
        raise Problem(422, f"since: {error}") from error
