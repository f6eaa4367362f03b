"""API of what the journal teaches: strategies, and clusters of failures."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Field, Query, Router, Schema

from ghap import clusters, strategies
from ghap.exchange.parameters import moment, project_key
from ghap.local import Domain
from memoryserver.accounts.auth import READ, AuthenticatedRequest
from memoryserver.problems import Problem

router = Router(tags=["ghap"])


class TallyOut(Schema):
    """Counts of entries by outcome. Rate and iterations are of decided entries, null if there are none."""

    entries: int
    confirmed: int
    falsified: int
    abandoned: int
    poor: int = Field(description="decided entries with a poor hypothesis")
    confirmed_rate: float | None
    mean_iterations: float | None
    median_iterations: float | None


class StrategyOut(Schema):
    """One strategy, overall and by domain."""

    strategy: str
    overall: TallyOut
    domains: dict[str, TallyOut]


class StrategiesOut(Schema):
    """The strategies in use, the most used first."""

    strategies: list[StrategyOut]


class StrategyQuery(Schema):
    """Filters; `project` is a project's key.

    `since`, the earliest time of resolution, is a date, a time (UTC by default) or an age such as `30d`.
    """

    project: str | None = None
    domain: Domain | None = None
    since: str | None = None


@router.get("/strategies", auth=READ, response=StrategiesOut, summary="Performance of each strategy")
def strategy_performance(request: AuthenticatedRequest, query: Annotated[StrategyQuery, Query()]) -> Any:
    """Counted over the entries that the token's user may see."""
    project = project_key(request.user, query.project)
    performances = strategies.performance(
        request.user, project=project, domain=query.domain, since=moment("since", query.since)
    )
    return {"strategies": performances}


class MemberOut(Schema):
    """An entry of a cluster; `likeness` is its mean cosine to the others."""

    entry: str
    user: str
    goal: str
    likeness: float


class MedoidOut(Schema):
    """The entry that represents its cluster, with its text along the axis."""

    entry: str
    user: str
    goal: str
    text: str
    tier: str
    captured_at: datetime


class ClusterOut(Schema):
    """Similar entries; `members` are the most central ones, and all are at `/ghap/clusters/{key}/members`.

    `key` identifies the cluster until the clusters are recomputed at night.
    """

    key: int
    axis: str
    project: str | None
    user: str | None = Field(description="owner of the entries; null for a shared project")
    size: int
    weight: float = Field(description="number of entries, weighted by tier")
    terms: list[str]
    medoid: MedoidOut
    members: list[MemberOut]


class ScopeOut(Schema):
    """The entries that were clustered; `note` is set if there were too many to include all."""

    axis: str
    project: str | None
    user: str | None
    computed_at: datetime
    total: int
    considered: int
    note: str | None


class ClustersOut(Schema):
    """Clusters, the heaviest first; they are recomputed every night. `next_cursor` is null at the end."""

    clusters: list[ClusterOut]
    scopes: list[ScopeOut]
    next_cursor: str | None


class MembersOut(Schema):
    """Members of a cluster, the most central first; `next_cursor` is null at the end."""

    members: list[MemberOut]
    next_cursor: str | None


class ClusterQuery(Schema):
    """Filters; `project` is a project's key."""

    axis: Literal["surprise", "root_cause"] | None = None
    project: str | None = None
    limit: int = Field(20, ge=1, le=100)
    cursor: str = ""


class MemberQuery(Schema):
    """The page."""

    limit: int = Field(clusters.MAX_MEMBERS, ge=1, le=clusters.MAX_MEMBERS)
    cursor: str = ""


@router.get("/clusters", auth=READ, response=ClustersOut, summary="Clusters of recurring failures")
def find_clusters(request: AuthenticatedRequest, query: Annotated[ClusterQuery, Query()]) -> Any:
    """Clusters of surprises and root causes of entries that the token's user may see."""
    return clusters.clusters_of(
        request.user,
        axis=query.axis,
        project=project_key(request.user, query.project),
        limit=query.limit,
        cursor=query.cursor,
    )


@router.get("/clusters/{int:key}/members", auth=READ, response=MembersOut, summary="All entries of a cluster")
def find_members(request: AuthenticatedRequest, key: int, query: Annotated[MemberQuery, Query()]) -> Any:
    """The entries of a cluster that the token's user may see."""
    members = clusters.members_of(request.user, key, limit=query.limit, cursor=query.cursor)
    if members is None:
        raise Problem(404, "cluster not found; clusters are recomputed every night")
    return members
