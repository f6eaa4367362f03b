"""Contradictions between learnings of a project: recorded for a person to decide, and withdrawn when they are gone."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from capture.belief import usage
from capture.merging.contradiction import MIN_COSINE, STATED, Reason, contradiction
from capture.merging.neighbours import Neighbour
from capture.models import Contradiction, Learning
from obslog.emit import emit

_SOURCE = "system:capture"


def record(row: Learning, neighbours: Iterable[Neighbour]) -> int:
    """Record which of `neighbours` contradict `row`, or are contradicted by it, and return how many are new.

    Open contradictions of a former wording of `row` are withdrawn, but for those that a person stated. Call it in a
    transaction.
    """
    _withdraw(row)
    if row.is_report:
        return 0
    others = [near.learning for near in neighbours if near.cosine >= MIN_COSINE and not near.learning.is_report]
    return sum(_record(*_by_age(row, other)) for other in others)


def _by_age(first: Learning, second: Learning) -> tuple[Learning, Learning]:
    earlier, later = sorted((first, second), key=lambda row: (row.first_seen, row.pk))
    return earlier, later


def _record(earlier: Learning, later: Learning) -> bool:
    reason = contradiction(earlier.content, later.content)
    if reason is None:
        return False
    row, new = Contradiction.objects.get_or_create(earlier=earlier, later=later, defaults={"reason": reason})
    if new:
        usage.count("contradicted", [earlier.pk])
        _log(row, reason)
    return new


def _withdraw(row: Learning) -> None:
    open_ones = Contradiction.objects.filter(Q(earlier=row) | Q(later=row), decision="").exclude(reason=STATED)
    for pair in open_ones.select_related("earlier", "later"):
        if contradiction(pair.earlier.content, pair.later.content) is None:
            pair.delete()


def _log(row: Contradiction, reason: Reason) -> None:
    emit(
        row.later.user,
        type="capture.contradiction_found",
        source=_SOURCE,
        message=f"learning {row.later_id} contradicts learning {row.earlier_id}",
        data={"reason": reason},
        scope_ids=[f"learning:{row.earlier_id}", f"learning:{row.later_id}"],
        project=row.later.project_id,
    )
