"""What people say of the judgement on a hypothesis: that it is poor, or not so."""

from __future__ import annotations

from ghap import reading
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue
from obslog.emit import emit

ASSESS_JOB = "ghap.jobs.assess_outdated"


def dispute(user: User, key: int, *, poor: bool) -> Entry | None:
    """Say that the hypothesis of the entry is not poor, or (`poor`) take that back; None if `user` cannot see it.

    A job gives the entry the tier that follows. Everybody who sees an entry may say so.
    """
    row = reading.entry_of(user, key)
    if row is None or poor == (row.not_poor_by_id is None):
        return row
    row.not_poor_by = None if poor else user
    Entry.objects.filter(pk=row.pk).update(not_poor_by=row.not_poor_by, quality_version=0)
    emit(
        user,
        type="ghap.quality_disputed",
        source="system:quality",
        message=f"the hypothesis of {row.ghap_id} is {'judged by the rules again' if poor else 'not poor'}",
        data={"poor": poor},
        scope_ids=[row.ghap_id],
        project=row.project_id,
    )
    enqueue(ASSESS_JOB)
    return row
