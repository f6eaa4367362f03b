"""Finds clusters of surprises and of root causes in each scope and stores them for `ghap.clusters`.

For each axis, a scope is

- a project that is shared with a team: the entries of all members;
- a user and a project that is not shared, or no project: the user's own entries.

All entries of a scope are visible to the same users, so a cluster reveals nothing that is hidden from its readers.

Only the newest LIMIT entries of a scope are clustered, since all distances between them are held in memory (half a
gigabyte at the peak); `Clustering.considered` and `total` tell how many were left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ghap.axes import FAILURE_AXES
from ghap.grouping import MIN_SIZE, Group, distinctive_terms, groups
from ghap.local import ConfidenceTier
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.accounts.models import Project
from memoryserver.vectors.models import Record

LIMIT = 5_000
VERSION = 1
"""Version of the algorithm; raise it with every change, so that unchanged scopes are recomputed too."""

_WEIGHTS = {ConfidenceTier.GOLD.value: 1.0, ConfidenceTier.BRONZE.value: 0.5, ConfidenceTier.ABANDONED.value: 0.2}
_DEFAULT_WEIGHT = 0.8  # silver
_MIN_INTERVAL = timedelta(hours=12)


def prepare() -> None:
    """Create a clustering for each scope with vectors, and delete those of scopes without vectors."""
    scopes = {
        (axis, None if team else user, project)
        for axis in FAILURE_AXES
        for user, project, team in _vectors(axis).values_list("user", "project", "project__team").distinct()
    }
    existing = {(row.axis, row.user_id, row.project_id): row.pk for row in Clustering.objects.all()}
    Clustering.objects.filter(pk__in=[pk for scope, pk in existing.items() if scope not in scopes]).delete()
    Clustering.objects.bulk_create(
        [Clustering(axis=axis, user_id=user, project_id=project) for axis, user, project in scopes - existing.keys()],
        ignore_conflicts=True,
    )


def forget(source: Project, target: Project) -> None:
    """Delete the clusters of `source`, which is merged into `target`; those of `target` are computed at night."""
    Clustering.objects.filter(project=source).delete()


def due() -> Iterator[Clustering]:
    """Yield the clusterings that are due, the oldest attempt first, each claimed before it is yielded.

    A clustering that kills its worker is therefore attempted once a night and does not block others.
    """
    while True:
        started = timezone.now()
        candidates = Clustering.objects.filter(Q(attempted_at=None) | Q(attempted_at__lt=started - _MIN_INTERVAL))
        row = candidates.order_by(F("attempted_at").asc(nulls_first=True), "pk").first()
        if row is None:
            return
        if Clustering.objects.filter(pk=row.pk, attempted_at=row.attempted_at).update(attempted_at=started):
            yield row


def compute(clustering: Clustering) -> bool:
    """Find the clusters of `clustering`'s scope and replace the stored ones in one transaction; return whether it did.

    Nothing is computed if the input is the same as the last time.
    """
    points = _points(clustering)
    run = {
        "computed_at": timezone.now(),
        "input_digest": _digest(points),
        "total": _scope(clustering).count(),
        "considered": len(points),
    }
    if run["input_digest"] == clustering.input_digest:
        Clustering.objects.filter(pk=clustering.pk).update(**run)
        return False
    grouped_points = groups([point.vector for point in points], [point.weight for point in points])
    _replace(clustering, points, list(zip(grouped_points, _terms_of(points, grouped_points), strict=True)), run)
    return True


@dataclass(frozen=True)
class _Point:
    """One entry to be clustered."""

    entry_id: int
    vector: Any
    embedded_as: str
    weight: float
    text: str


def _vectors(axis: str) -> QuerySet[Record]:
    return Record.objects.filter(collection=f"ghap_{axis}", embedding__isnull=False)


def _scope(clustering: Clustering) -> QuerySet[Record]:
    vectors = _vectors(clustering.axis).filter(project=clustering.project_id)
    if clustering.user_id is None:
        return vectors.filter(project__team__isnull=False)
    return vectors.filter(user=clustering.user_id, project__team__isnull=True)


def _points(clustering: Clustering) -> list[_Point]:
    """Return the newest entries of the scope, by primary key."""
    newest = _scope(clustering).order_by("-created_at", "-pk").only("user_id", "key", "embedding", "embedded_as")
    records = {(record.user_id, record.key): record for record in newest[:LIMIT]}
    entries = Entry.objects.filter(
        user__in={user for user, _ in records}, ghap_id__in={key for _, key in records}
    ).order_by("pk")
    return [
        _Point(
            entry_id=entry.pk,
            vector=records[entry.user_id, entry.ghap_id].embedding,
            embedded_as=records[entry.user_id, entry.ghap_id].embedded_as,
            weight=_WEIGHTS.get(entry.confidence_tier, _DEFAULT_WEIGHT),
            text=_text_of(entry, clustering.axis),
        )
        for entry in entries
        if (entry.user_id, entry.ghap_id) in records
    ]


def _text_of(row: Entry, axis: str) -> str:
    """Return the entry's own text along `axis`, without the labels and categories that all entries share."""
    entry = row.entry
    cause = entry.root_cause.description if entry.root_cause else ""
    if axis == "root_cause":
        return f"{cause}\n{entry.hypothesis}"
    result = entry.outcome.result if entry.outcome else ""
    return "\n".join([entry.prediction, result, entry.surprise or "", cause])


def _digest(points: Sequence[_Point]) -> str:
    content = [VERSION, LIMIT, [(point.entry_id, point.embedded_as, point.weight) for point in points]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _terms_of(points: Sequence[_Point], grouped_points: Sequence[Group]) -> list[list[str]]:
    """Return the most distinctive words of each group, compared with other groups and ungrouped entries."""
    grouped = {member for group in grouped_points for member in group.members}
    ungrouped = [(point.text, point.weight) for place, point in enumerate(points) if place not in grouped]
    classes = [[(points[member].text, points[member].weight) for member in group.members] for group in grouped_points]
    return distinctive_terms(classes, ungrouped)


@transaction.atomic
def _replace(
    clustering: Clustering,
    points: Sequence[_Point],
    found_clusters: Sequence[tuple[Group, list[str]]],
    run: dict[str, Any],
) -> None:
    """Replace the stored clusters; entries deleted meanwhile are left out, the others are locked until the commit."""
    entries = Entry.objects.filter(pk__in=[point.entry_id for point in points]).order_by("pk")
    existing_ids = set(entries.select_for_update(no_key=True).values_list("pk", flat=True))
    clustering.clusters.all().delete()
    for group, terms in found_clusters:
        _store(clustering, points, group, terms, existing_ids)
    Clustering.objects.filter(pk=clustering.pk).update(**run)


def _store(
    clustering: Clustering, points: Sequence[_Point], group: Group, terms: Sequence[str], existing_ids: set[int]
) -> None:
    members = [
        (points[member].entry_id, likeness)
        for member, likeness in zip(group.members, group.likeness, strict=True)
        if points[member].entry_id in existing_ids
    ]
    if len(members) < MIN_SIZE:
        return
    cluster = Cluster.objects.create(
        clustering=clustering,
        rank=clustering.clusters.count() + 1,
        size=len(members),
        weight=group.weight,
        terms=list(terms),
    )
    ClusterMember.objects.bulk_create(
        ClusterMember(cluster=cluster, entry_id=entry, rank=rank, likeness=likeness)
        for rank, (entry, likeness) in enumerate(members, start=1)
    )
