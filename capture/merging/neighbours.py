"""The learnings of a project whose vectors are near to that of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import ExpressionWrapper, FloatField, Q
from pgvector.django import CosineDistance

from capture.documents import COLLECTION
from capture.models import Learning
from memoryserver.vectors.models import Record

_NEIGHBOURS = 20


@dataclass(frozen=True)
class Neighbour:
    """A learning, and the cosine of its vector and that of the other, from -1 to 1."""

    learning: Learning
    cosine: float


def near(row: Learning, min_cosine: float) -> Sequence[Neighbour]:
    """Return the learnings of the same project, or of the same person and no project, nearest first, at most 20.

    Hidden and merged ones are left out. Empty until `row` is embedded.
    """
    records = Record.objects.filter(collection=COLLECTION, embedding__isnull=False)
    own = records.filter(user=row.user_id, key=str(row.pk)).values_list("pk", "embedding").first()
    if own is None:
        return []
    pk, vector = own
    scope = Q(project=row.project_id) if row.project_id else Q(project=None, user=row.user_id)
    # Adding 0 keeps the planner from using an approximate index, which may miss rows under a filter.
    distance = ExpressionWrapper(CosineDistance("embedding", vector) + 0.0, output_field=FloatField())
    nearest = records.filter(scope).exclude(pk=pk).annotate(distance=distance).filter(distance__lte=1 - min_cosine)
    distances = {
        int(key): float(value)
        for key, value in nearest.order_by("distance", "pk").values_list("key", "distance")[:_NEIGHBOURS]
    }
    others = Learning.objects.filter(hidden=False, merged_into=None).in_bulk(distances)
    return [Neighbour(others[key], 1 - value) for key, value in distances.items() if key in others]
