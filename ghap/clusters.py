"""What goes wrong again and again: the clusters of surprises and of root causes, as a user may see them.

`ghap.clustering` makes them, at night, each out of one scope whose entries all have the same readers. Sharing may
change between two nights; hence a cluster with a single member that the asking user may not see is not shown,
whatever its scope, and neither label nor size tells of anything hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from ghap.axes import axis_texts
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows

SHOWN_MEMBERS = 20
MOST_MEMBERS = 200


@dataclass(frozen=True)
class Member:
    """An entry of a cluster; `key` is that of its page, `likeness` its mean cosine to the others."""

    key: int
    entry: str
    user: str
    goal: str
    likeness: float


@dataclass(frozen=True)
class Medoid:
    """The entry that stands for its cluster, with what it says along the cluster's axis; `key` is that of its page."""

    key: int
    entry: str
    user: str
    goal: str
    text: str
    tier: str
    captured_at: datetime


@dataclass(frozen=True)
class Scope:
    """Out of what clusters were made: a shared project (`user` is None), or what `user` has in `project` or in none.

    `note` says that there were too many entries for all to go in.
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

    `key` names it until the night in which clusters are made anew.
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
    """The clusters, the heaviest first, and the scopes that were looked at."""

    clusters: Sequence[FoundCluster]
    scopes: Sequence[Scope]


def clusters_of(
    user: User | AnonymousUser, *, axis: str | None = None, project: str | None = None, limit: int = 20
) -> Clusters:
    """At most `limit` of the clusters that `user` may see: of both axes or `axis`, in `project` (a project's key)."""
    clusterings = visible_rows(Clustering.objects.exclude(computed_at=None), user)
    if axis is not None:
        clusterings = clusterings.filter(axis=axis)
    if project is not None:
        clusterings = clusterings.filter(project__key=project)
    return Clusters(
        clusters=[_cluster(row) for row in _visible(clusterings, user).order_by("-weight", "pk")[:limit]],
        scopes=[_scope(row) for row in clusterings.select_related("user", "project")],
    )


def cluster_of(user: User | AnonymousUser, key: int) -> FoundCluster | None:
    """The cluster of that key with up to MOST_MEMBERS members; None if there is none that `user` may see."""
    clusterings = visible_rows(Clustering.objects.exclude(computed_at=None), user)
    row = _visible(clusterings, user, MOST_MEMBERS).filter(pk=key).first()
    return None if row is None else _cluster(row)


def _visible(
    clusterings: QuerySet[Clustering], user: User | AnonymousUser, shown: int = SHOWN_MEMBERS
) -> QuerySet[Cluster]:
    seen = visible_rows(Entry.objects.filter(pk=OuterRef("entry")), user)
    hidden = ClusterMember.objects.filter(cluster=OuterRef("pk")).filter(~Exists(seen))
    members = ClusterMember.objects.filter(rank__lte=shown).select_related("entry__user").order_by("rank")
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
        members=[
            Member(
                key=member.entry_id,
                entry=member.entry.ghap_id,
                user=member.entry.user.get_username(),
                goal=member.entry.goal,
                likeness=member.likeness,
            )
            for member in members
        ],
    )


def _medoid(entry: Entry, axis: str) -> Medoid:
    """An entry that was sent again since, and no longer has the axis, has no text."""
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
        note=f"made of the newest {row.considered} of {row.total} entries" if left_out else None,
    )
