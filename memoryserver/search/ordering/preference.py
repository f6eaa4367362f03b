"""What a search prefers without leaving anything out: a time, a person, the project that is asked from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db.models import Q

from memoryserver.accounts.models import ProjectAlias
from memoryserver.search.engine import Ranked
from memoryserver.vectors.models import Record

PERSON = 0.5
"""How much more the score of a text of a person who is named counts, as for a time (`questions.periods`)."""

HERE = 1.0
"""How much more the score of a text of the preferred project counts: it comes first if half as good as another."""


def raised(ranked: Sequence[Ranked], weight: float, is_meant: Callable[[Ranked], bool]) -> list[Ranked]:
    """Return `ranked`, best first, in the order in which what is meant counts more by `weight`."""
    weighed = [row._replace(score=row.score * (1 + weight)) if is_meant(row) else row for row in ranked]
    return sorted(weighed, key=lambda row: -row.score)


def by_person(ranked: Sequence[Ranked], users: frozenset[int]) -> Sequence[Ranked]:
    """Return `ranked` with what `users` stored raised."""
    return raised(ranked, PERSON, lambda row: row.user_id in users) if users else ranked


def of_project(ranked: Sequence[Ranked], key: str | None) -> Sequence[Ranked]:
    """Return `ranked` with what is of the projects that have the `key`, or had it, raised."""
    if not key or not ranked:
        return ranked
    is_here = Q(project__key=key) | Q(project__in=ProjectAlias.objects.filter(key=key).values("project"))
    rows = Record.objects.filter(is_here, pk__in=[row.record_id for row in ranked])
    own = frozenset(rows.values_list("pk", flat=True))
    return raised(ranked, HERE, lambda row: row.record_id in own) if own else ranked
