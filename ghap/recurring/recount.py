"""Lets the clusters that the nightly job found continue the failures that people know.

Per scope, the clusters of both axes are put together where they share entries, since surprise and root cause of the
same entries are one failure. Each of these groups continues the failure with which it shares most entries, if that is
half of the smaller of the two; else it is a new failure. Failures that no group continues are kept, as gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ghap.models import Cluster, Clustering, Entry, Failure, FailureMember
from memoryserver.accounts.models import Project
from obslog.emit import emit


@dataclass
class _Group:
    """Entries of one failure as the clusters have them, by primary key, the most central first."""

    entries: list[int]
    weight: float
    terms: Sequence[str]


@transaction.atomic
def recount(user_id: int | None, project_id: int | None) -> None:
    """Bring the failures of one scope in line with its clusters."""
    groups = _groups(user_id, project_id)
    failures = {row.pk: row for row in _failures(user_id, project_id).select_for_update(of=("self",)).order_by("pk")}
    members: dict[int, set[int]] = {key: set() for key in failures}
    for failure, entry in FailureMember.objects.filter(failure__in=failures).values_list("failure", "entry"):
        members[failure].add(entry)
    moments = _moments([entry for group in groups for entry in group.entries])
    matches = _matches(groups, members)
    continued = set()
    for number, group in enumerate(groups):
        row = failures.get(matches.get(number, 0)) or Failure()
        row.user_id, row.project_id = user_id, project_id
        if _update(row, group, moments, members.get(row.pk, set())):
            continued.add(row.pk)
    for key, row in failures.items():
        if key not in continued:
            _set_gone(row, members[key])


def forget_empty() -> None:
    """Delete the failures all of whose entries were deleted."""
    Failure.objects.filter(members=None).delete()


def follow(source: Project, target: Project) -> None:
    """Let the failures of `source`, which is merged into `target`, belong to it."""
    owner = None if target.team_id else target.owner_id
    Failure.objects.filter(project=source).update(project=target, user=owner)


def _failures(user_id: int | None, project_id: int | None) -> QuerySet[Failure]:
    """Return the failures of a scope. Those of a project that was private before have another scope until now."""
    if project_id is None:
        return Failure.objects.filter(user=user_id, project=None)
    rows = Failure.objects.filter(project=project_id)
    return rows if user_id is None else rows.filter(Q(user=user_id) | Q(user=None))


def _groups(user_id: int | None, project_id: int | None) -> list[_Group]:
    """Return the scope's clusters, the heaviest first; one with half of its entries in an earlier one joins that."""
    clusterings = Clustering.objects.filter(user=user_id, project=project_id)
    groups: list[_Group] = []
    rows = Cluster.objects.filter(clustering__in=clusterings).order_by("-weight", "-clustering__axis", "rank", "pk")
    for row in rows.prefetch_related("members"):
        entries = [member.entry_id for member in row.members.all()]
        joined = next((group for group in groups if 2 * len(set(entries) & set(group.entries)) >= len(entries)), None)
        if joined is None:
            groups.append(_Group(entries, row.weight, row.terms))
        else:
            joined.entries += [entry for entry in entries if entry not in joined.entries]
    return groups


def _matches(groups: Sequence[_Group], members: Mapping[int, set[int]]) -> dict[int, int]:
    """Return the failure that each group continues, by the group's number; the greatest overlap goes first."""
    pairs = []
    for number, group in enumerate(groups):
        for key, entries in members.items():
            shared = len(entries.intersection(group.entries))
            if shared and 2 * shared >= min(len(entries), len(group.entries)):
                pairs.append((-shared, key, number))
    matches: dict[int, int] = {}
    for _, key, number in sorted(pairs):
        if number not in matches and key not in matches.values():
            matches[number] = key
    return matches


def _moments(entries: Sequence[int]) -> dict[int, Entry]:
    """Return the entries that still exist, locked until the commit, by primary key."""
    rows = Entry.objects.filter(pk__in=entries).order_by("pk").select_for_update(no_key=True, of=("self",))
    return {row.pk: row for row in rows.only("pk", "captured_at")}


def _update(row: Failure, group: _Group, moments: Mapping[int, Entry], before: set[int]) -> bool:
    """Store `group` as the failure `row`; return whether any of its entries still exists."""
    entries = [entry for entry in group.entries if entry in moments]
    if not entries:
        return False
    times = [moments[entry].captured_at for entry in entries]
    row.size, row.weight, row.terms = len(entries), group.weight, list(group.terms)
    row.example_id, row.first_seen, row.last_seen = entries[0], min(times), max(times)
    row.gone_at = row.continued_in = None
    since_then = [
        moments[entry].captured_at
        for entry in entries
        if entry not in before and moments[entry].captured_at > row.state_since
    ]
    if row.state == Failure.State.SOLVED and since_then:
        row.state, row.state_since, row.state_by = Failure.State.REGRESSED, min(since_then), None
        _log_regression(row)
    row.save()
    row.members.all().delete()
    FailureMember.objects.bulk_create(
        FailureMember(failure=row, entry_id=entry, rank=rank) for rank, entry in enumerate(entries, start=1)
    )
    return True


def _set_gone(row: Failure, entries: set[int]) -> None:
    others = FailureMember.objects.filter(entry__in=entries, failure__gone_at=None).exclude(failure=row)
    shared = Counter(others.order_by("failure").values_list("failure", flat=True))
    row.gone_at = row.gone_at or timezone.now()
    row.continued_in_id = shared.most_common(1)[0][0] if shared else None
    row.save(update_fields=["gone_at", "continued_in"])


def _log_regression(row: Failure) -> None:
    emit(
        row.user,
        type="ghap.failure_regressed",
        source="system:clustering",
        message=f"failure {row.pk} was solved and happened again",
        data={"size": row.size},
        scope_ids=[f"failure:{row.pk}"],
        project=row.project_id,
    )
