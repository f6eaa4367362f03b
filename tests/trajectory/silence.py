"""Sessions whose last call is long ago."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from trajectory.local.engine.turns import SILENCE
from trajectory.models import Trajectory


def fall_silent(trajectories: QuerySet[Trajectory]) -> datetime:
    """Set the last call of `trajectories` to more than half an hour ago and return that time."""
    last = timezone.now() - 2 * SILENCE
    trajectories.update(last_call_at=last)
    return last
