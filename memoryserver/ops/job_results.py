"""Recording of job results: a success is a heartbeat, repeated failures raise an alert."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models.signals import pre_save
from django.utils import timezone
from django_q.models import Task
from django_q.signals import post_execute_in_worker

from memoryserver.common.redaction import redact_value
from memoryserver.ops.alerting import alerts
from memoryserver.ops.models import Heartbeat

logger = logging.getLogger(__name__)

FREQUENT_MINUTES = 10  # a single failure of a job that runs at least this often raises no alert
FAILURES_IN_A_ROW = 3


def connect() -> None:
    """Connect to django-q2's signal; connecting again has no effect."""
    post_execute_in_worker.connect(_record_result, dispatch_uid="ops")
    pre_save.connect(_redact_result, sender=Task, dispatch_uid="ops redaction")


def heartbeat_name(function: str) -> str:
    """Return the name of the heartbeat of a job's last success."""
    return f"job {function}"[:100]


def watched_name(function: str) -> str:
    """Return the name of the heartbeat that says since when the watch waits for a first success of a job."""
    return f"watched {function}"[:100]


def _redact_result(sender: Any, instance: Task, **kwargs: Any) -> None:
    """Redact what the job cluster keeps of a job and shows in the admin: the traceback of a failure, or the result."""
    instance.result = redact_value(instance.result)


def _record_result(sender: Any, task: Mapping[str, Any], **kwargs: Any) -> None:
    function = _dotted(task["func"])
    try:
        if task.get("success", True):
            Heartbeat.objects.update_or_create(name=heartbeat_name(function), defaults={"beat_at": timezone.now()})
            alerts.end(f"job {function}")
        else:
            reason = str(task.get("result")).strip().rpartition("\n")[2]
            message = f"the job {function} failed: {reason}"
            alerts.begin(f"job {function}", message, about=[function], after=_alert_threshold(function))
    except DatabaseError:  # the worker must survive to report the job's result
        logger.exception("a job's result could not be recorded")


def _alert_threshold(function: str) -> int:
    timings = [when for _, name, when in settings.JOB_SCHEDULES if name == function]
    rare = timings and all(isinstance(when, str) or when > FREQUENT_MINUTES for when in timings)
    return 1 if rare else FAILURES_IN_A_ROW


def _dotted(function: Any) -> str:
    return function if isinstance(function, str) else f"{function.__module__}.{function.__qualname__}"
