"""The clusters of surprises and root causes that a user may see.

`ghap.clustering` computes them at night, each from one scope whose entries are visible to the same users. Sharing may
change between two runs; a cluster with a member that the user may not see is therefore not shown at all, so that its
terms and size reveal nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from ghap.axes import axis_texts
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver import keyset
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows

SHOWN_MEMBERS = 20
MAX_MEMBERS = 200


@dataclass(frozen=True)
class Member:
    """An entry of a cluster; `key` is its primary key, `likeness` its mean cosine to the other members."""

    key: int
    entry: str
    user: str
    goal: str
    likeness: float


@dataclass(frozen=True)
class Medoid:
    """The entry that represents its cluster, with its text along the axis; `key` is its primary key."""

    key: int
    entry: str
    user: str
    goal: str
    text: str
    tier: str
    captured_at: datetime


@dataclass(frozen=True)
class Scope:
    """The entries that were clustered: of a shared project (`user` is None), or of `user` in `project` or in none.

    `note` is set if there were too many entries to include all.
    """

    axis: str
    project: str | None
    user: str | None
    computed_at: datetime
    total: int
    considered: int
    note: str | None


@dataclass(frozen=True)
class FoundCluster:
    """A cluster; `members` are its most central ones, at most SHOWN_MEMBERS of `size`.

    `key` identifies it until the clusters are recomputed at night.
    """

    key: int
    axis: str
    project: str | None
    user: str | None
    size: int
    weight: float
    terms: Sequence[str]
    medoid: Medoid
    members: Sequence[Member]


@dataclass(frozen=True)
class Clusters:
    """Clusters, the heaviest first, and the scopes of all; `next_cursor` is None at the end."""

    clusters: Sequence[FoundCluster]
    scopes: Sequence[Scope]
    next_cursor: str | None


@dataclass(frozen=True)
class Members:
    """Members of a cluster, the most central first; `next_cursor` is None at the end."""

    members: Sequence[Member]
    next_cursor: str | None


def clusters_of(
    user: User | AnonymousUser,
    *,
    axis: str | None = None,
    project: str | None = None,
    limit: int = 20,
    cursor: str = "",
) -> Clusters:
    """Return at most `limit` clusters, after `cursor`, that `user` may see.

    They are of both axes or `axis`, and in `project` (a project's key) if given. Raises InvalidCursorError.
    """
    clusterings = visible_rows(Clustering.objects.exclude(computed_at=None), user)
    if axis is not None:
        clusterings = clusterings.filter(axis=axis)
    if project is not None:
        clusterings = clusterings.filter(project__key=project)
    page = keyset.page_of(_visible(clusterings, user), ("-weight", "pk"), limit=limit, cursor=cursor)
    return Clusters(
        clusters=[_cluster(row) for row in page.rows],
        scopes=[_scope(row) for row in clusterings.select_related("user", "project")],
        next_cursor=page.next_cursor,
    )


def cluster_of(user: User | AnonymousUser, key: int) -> FoundCluster | None:
    """Return the cluster; None if `user` can see no such cluster."""
    clusterings = visible_rows(Clustering.objects.exclude(computed_at=None), user)
    row = _visible(clusterings, user).filter(pk=key).first()
    return None if row is None else _cluster(row)


def members_of(user: User | AnonymousUser, key: int, *, limit: int = MAX_MEMBERS, cursor: str = "") -> Members | None:
    """Return at most `limit` members, after `cursor`, of the cluster; None if `user` can see no such cluster.

    Raises InvalidCursorError.
    """
    if cluster_of(user, key) is None:
        return None
    rows = ClusterMember.objects.filter(cluster=key).select_related("entry__user")
    page = keyset.page_of(rows, ("rank", "pk"), limit=limit, cursor=cursor)
    return Members([_member(row) for row in page.rows], page.next_cursor)


def _visible(clusterings: QuerySet[Clustering], user: User | AnonymousUser) -> QuerySet[Cluster]:
    visible_entry = visible_rows(Entry.objects.filter(pk=OuterRef("entry")), user)
    hidden = ClusterMember.objects.filter(cluster=OuterRef("pk")).filter(~Exists(visible_entry))
    members = ClusterMember.objects.filter(rank__lte=SHOWN_MEMBERS).select_related("entry__user").order_by("rank")
    return (
        Cluster.objects.filter(~Exists(hidden), Exists(ClusterMember.objects.filter(cluster=OuterRef("pk"))))
        .filter(clustering__in=clusterings)
        .select_related("clustering__user", "clustering__project")
        .prefetch_related(Prefetch("members", members))
    )


def _cluster(row: Cluster) -> FoundCluster:
    members = list(row.members.all())
    return FoundCluster(
        key=row.pk,
        axis=row.clustering.axis,
        project=row.clustering.project.key if row.clustering.project else None,
        user=row.clustering.user.get_username() if row.clustering.user else None,
        size=row.size,
        weight=row.weight,
        terms=row.terms,
        medoid=_medoid(members[0].entry, row.clustering.axis),
        members=[_member(member) for member in members],
    )


def _member(row: ClusterMember) -> Member:
    return Member(
        key=row.entry_id,
        entry=row.entry.ghap_id,
        user=row.entry.user.get_username(),
        goal=row.entry.goal,
        likeness=row.likeness,
    )


def _medoid(entry: Entry, axis: str) -> Medoid:
    """Return the medoid; its text is "" if the entry was sent again and no longer has the axis."""
    return Medoid(
        key=entry.pk,
        entry=entry.ghap_id,
        user=entry.user.get_username(),
        goal=entry.goal,
        text=axis_texts(entry.entry).get(axis, ""),
        tier=entry.confidence_tier,
        captured_at=entry.captured_at,
    )


def _scope(row: Clustering) -> Scope:
    assert row.computed_at is not None
    left_out = row.total > row.considered
    return Scope(
        axis=row.axis,
        project=row.project.key if row.project else None,
        user=row.user.get_username() if row.user else None,
        computed_at=row.computed_at,
        total=row.total,
        considered=row.considered,
        note=f"based on the newest {row.considered} of {row.total} entries" if left_out else None,
    )
