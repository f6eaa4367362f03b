"""Finds clusters of surprises and of root causes, scope by scope, and stores them for `ghap.clusters`.

A scope is, for each axis,

- a project that is shared with a team: the entries of all in it;
- a user and a project that is not shared, or no project: their own entries.

So whoever may see the one entry of a cluster may see the others, and no cluster is made of what is hidden from
somebody who is shown it.

Only the newest LIMIT entries of a scope go in, since the distances between all of them are held in memory (half a
gigabyte at the peak); `Clustering.considered` and `total` say how many were left out.
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
from ghap.grouping import MIN_SIZE, Group, groups, telling_terms
from ghap.local import ConfidenceTier
from ghap.models import Cluster, Clustering, ClusterMember, Entry
from memoryserver.vectors.models import Record

LIMIT = 5_000
VERSION = 1
"""Of how clusters are made; raise it with every change, so that unchanged scopes are made anew too."""

_WEIGHTS = {ConfidenceTier.GOLD.value: 1.0, ConfidenceTier.BRONZE.value: 0.5, ConfidenceTier.ABANDONED.value: 0.2}
_USUAL_WEIGHT = 0.8  # silver
_REST = timedelta(hours=12)


def prepare() -> None:
    """Make a clustering for each scope that has vectors, and remove those of scopes that have none any more."""
    scopes = {
        (axis, None if team else user, project)
        for axis in FAILURE_AXES
        for user, project, team in _vectors(axis).values_list("user", "project", "project__team").distinct()
    }
    known = {(row.axis, row.user_id, row.project_id): row.pk for row in Clustering.objects.all()}
    Clustering.objects.filter(pk__in=[pk for scope, pk in known.items() if scope not in scopes]).delete()
    Clustering.objects.bulk_create(
        [Clustering(axis=axis, user_id=user, project_id=project) for axis, user, project in scopes - known.keys()],
        ignore_conflicts=True,
    )


def due() -> Iterator[Clustering]:
    """Those whose turn it is, the longest untouched first, each claimed as it is given.

    The claim is made before the work: one that kills its worker is tried once a night and holds up no other.
    """
    while True:
        started = timezone.now()
        waiting = Clustering.objects.filter(Q(attempted_at=None) | Q(attempted_at__lt=started - _REST))
        row = waiting.order_by(F("attempted_at").asc(nulls_first=True), "pk").first()
        if row is None:
            return
        if Clustering.objects.filter(pk=row.pk, attempted_at=row.attempted_at).update(attempted_at=started):
            yield row


def compute(clustering: Clustering) -> bool:
    """Find the clusters of `clustering`'s scope, replace the stored ones in one transaction; whether they changed.

    The same input as the last time costs no computing.
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
    found = groups([point.vector for point in points], [point.weight for point in points])
    _replace(clustering, points, list(zip(found, _labels(points, found), strict=True)), run)
    return True


@dataclass(frozen=True)
class _Point:
    """One entry on its way into a cluster."""

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
    """The newest of the scope, in the order of their entries."""
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
            weight=_WEIGHTS.get(entry.confidence_tier, _USUAL_WEIGHT),
            text=_words_of(entry, clustering.axis),
        )
        for entry in entries
        if (entry.user_id, entry.ghap_id) in records
    ]


def _words_of(row: Entry, axis: str) -> str:
    """What the entry itself says along `axis`, without the labels and categories that all entries share."""
    entry = row.entry
    cause = entry.root_cause.description if entry.root_cause else ""
    if axis == "root_cause":
        return f"{cause}\n{entry.hypothesis}"
    result = entry.outcome.result if entry.outcome else ""
    return "\n".join([entry.prediction, result, entry.surprise or "", cause])


def _digest(points: Sequence[_Point]) -> str:
    content = [VERSION, LIMIT, [(point.entry_id, point.embedded_as, point.weight) for point in points]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _labels(points: Sequence[_Point], found: Sequence[Group]) -> list[list[str]]:
    """The most telling words of each group, against the other groups and what is in none."""
    grouped = {member for group in found for member in group.members}
    rest = [(point.text, point.weight) for place, point in enumerate(points) if place not in grouped]
    classes = [[(points[member].text, points[member].weight) for member in group.members] for group in found]
    return telling_terms(classes, rest)


@transaction.atomic
def _replace(
    clustering: Clustering,
    points: Sequence[_Point],
    found: Sequence[tuple[Group, list[str]]],
    run: dict[str, Any],
) -> None:
    """Entries that were deleted meanwhile are left out; a lock keeps the others until this is committed."""
    entries = Entry.objects.filter(pk__in=[point.entry_id for point in points]).order_by("pk")
    alive = set(entries.select_for_update(no_key=True).values_list("pk", flat=True))
    clustering.clusters.all().delete()
    for group, terms in found:
        _store(clustering, points, group, terms, alive)
    Clustering.objects.filter(pk=clustering.pk).update(**run)


def _store(
    clustering: Clustering, points: Sequence[_Point], group: Group, terms: Sequence[str], alive: set[int]
) -> None:
    members = [
        (points[member].entry_id, likeness)
        for member, likeness in zip(group.members, group.likeness, strict=True)
        if points[member].entry_id in alive
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
