"""What becomes of jobs: each success is a sign of life, and failures in a row are an alert."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from django_q.signals import post_execute_in_worker

from memoryserver.ops import alerts
from memoryserver.ops.models import Heartbeat

logger = logging.getLogger(__name__)

OFTEN = 10  # minutes: of what runs at least so often a single failure is no alert
FAILURES_IN_A_ROW = 3


def connect() -> None:
    """Listen from now on; again changes nothing."""
    post_execute_in_worker.connect(_ran, dispatch_uid="ops")


def beat_name(function: str) -> str:
    """The name under which a job's last success is kept."""
    return f"job {function}"[:100]


def _ran(sender: Any, task: Mapping[str, Any], **kwargs: Any) -> None:
    function = _dotted(task["func"])
    try:
        if task.get("success", True):
            Heartbeat.objects.update_or_create(name=beat_name(function), defaults={"beat_at": timezone.now()})
            alerts.end(f"job {function}")
        else:
            reason = str(task.get("result")).strip().rpartition("\n")[2]
            message = f"the job {function} fails: {reason}"
            alerts.begin(f"job {function}", message, about=[function], after=_patience(function))
    except DatabaseError:  # the worker must live on to report what became of the job
        logger.exception("what became of a job could not be noted")


def _patience(function: str) -> int:
    timings = [when for _, name, when in settings.JOB_SCHEDULES if name == function]
    rare = timings and all(isinstance(when, str) or when > OFTEN for when in timings)
    return 1 if rare else FAILURES_IN_A_ROW


def _dotted(function: Any) -> str:
    return function if isinstance(function, str) else f"{function.__module__}.{function.__qualname__}"
