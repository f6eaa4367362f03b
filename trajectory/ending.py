"""The end of sessions: by the agent's event, or after half an hour of silence. Findings end with their session."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from memoryserver.accounts.models import User
from trajectory import assess
from trajectory.models import Trajectory


def end(user: User, session_id: str, agent_id: str, at: datetime) -> int:
    """End the session, with its sub-agents if `agent_id` is blank; return how many trajectories were running.

    One with a call after `at` has been continued, and goes on.
    """
    rows = Trajectory.objects.filter(user=user, session_id=session_id, ended_at=None)
    rows = rows.filter(agent_id=agent_id) if agent_id else rows
    rows = rows.exclude(last_call_at__gt=at)
    with transaction.atomic():
        running = list(rows.select_for_update().order_by("pk"))
        for trajectory in running:
            _end(trajectory, at)
    return len(running)


def end_silent() -> int:
    """End the sessions without a call for half an hour, each in a transaction of its own, and return how many.

    One whose calls are not all observed, or whose calls arrive just now, is left to the next run.
    """
    silent = Trajectory.objects.silent().filter(observed_through=F("calls_made"))
    ended = 0
    for key in list(silent.values_list("pk", flat=True)):
        with transaction.atomic():
            trajectory = silent.select_for_update(skip_locked=True).filter(pk=key).first()
            if trajectory is not None and trajectory.last_call_at is not None:
                _end(trajectory, trajectory.last_call_at)
                ended += 1
    return ended


def _end(trajectory: Trajectory, at: datetime) -> None:
    trajectory.ended_at = at
    assess.close(trajectory)
