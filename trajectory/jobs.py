"""Jobs of the trajectory app. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from trajectory import assess, ending, retention
from trajectory.models import Trajectory

_SECONDS_EACH = 20.0


def assess_pending() -> int:
    """Run the observers on all calls they have not seen and return the number of trajectories.

    Each batch has its own transaction, so a job that is killed loses only the last one.
    """
    pending = Trajectory.objects.exclude(observed_through=F("calls_made")).order_by("last_call_at")
    keys = list(pending.values_list("pk", flat=True))
    for key in keys:
        while _step(key):
            pass
    return len(keys)


def end_silent() -> int:
    """End the sessions that were silent for an hour, with their findings, and return how many."""
    return ending.end_silent()


def drop_old_calls() -> int:
    """Delete the tool calls beyond the retention setting and return how many."""
    return retention.drop_old_calls()


def _step(key: int) -> bool:
    """Process one batch of one trajectory and return whether there is more."""
    with transaction.atomic():
        row = Trajectory.objects.select_for_update(skip_locked=True).filter(pk=key).first()
        if row is None or row.observed_through >= row.calls_made:
            return False
        before = row.observed_through
        assess.run(row, seconds=_SECONDS_EACH)
        return before < row.observed_through < row.calls_made
