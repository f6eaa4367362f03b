"""Capture of transcripts on the server itself, of agents that work there.

Uses the client's scanner and queue processor, with the database as sink. State, queue and failed files are below
`capture/` in the data folder, with the same layout as on a client.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from pydantic import ValidationError

from capture import contexts as reports
from capture import failures, local, sink
from capture.incoming import QueueFile, ReportedContexts
from capture.local import QueueFullError, QueueProcessor
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.queue.sink import Receipt, SinkRefusedError, SinkUnavailableError
from capture.local.scanning import transcript_report
from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.state import STATE_FOLDER
from memoryserver.accounts.models import User
from memoryserver.accounts.projects import project_for
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import clean_json, shorten
from memoryserver.jobs import try_advisory_lock
from memoryserver.ops.alerting import alerts

SECONDS = 200.0
"""Time after which a scan or a pass over the queue stops early; a job may take 300."""

_SETTINGS, _SCAN, _DELIVERY = "server capture: settings", "server capture: scan", "server capture: delivery"


class DatabaseSink:
    """A sink of capture.local that stores in this database for `user`."""

    def __init__(self, user: User) -> None:
        self._user = user

    def store(self, content: dict[str, Any]) -> Receipt:
        """See capture.local.queue.sink.Sink. A rejected file is recorded as a failure."""
        try:
            queue_file = QueueFile.model_validate(clean_json(content))
        except ValidationError as error:
            reason = _reason(error)
            self._record_failure(content, reason)
            raise SinkRefusedError(reason) from error
        try:
            project = project_for(self._user, queue_file.project)
            result = sink.store(self._user, project, queue_file.incoming())
        except DatabaseError as error:
            connection.close_if_unusable_or_obsolete()
            raise SinkUnavailableError(f"the database rejected the file: {' '.join(str(error).split())}") from error
        return Receipt(str(queue_file.capture_id), **vars(result))

    def _record_failure(self, content: dict[str, Any], reason: str) -> None:
        ids = {name: str(content.get(name, "")) for name in ("capture_id", "context_id")}
        failures.record(self._user, **ids, reason=reason)


def scan_transcripts() -> int:
    """Queue what is new in the transcripts of the configured folders and return the number of learnings.

    Returns 0 at once if no user is configured, or while another scan runs.
    """
    user = _user()
    with try_advisory_lock("capture on the server: scan") as acquired:
        if user is None or not acquired:
            return 0
        report = ScanReport()
        roots = [Path(root) for root in settings.CAPTURE_ROOTS]
        try:
            local.scan(home(), roots, lock_timeout=1.0, stop=_deadline(), report=report, second_process=False)
        except LockTimeoutError:
            return 0
        except (QueueFullError, OSError) as error:
            alerts.begin(_SCAN, f"transcripts on the server cannot be captured: {error}")
            return report.learnings
        if report.problems:
            alerts.begin(_SCAN, f"a transcript on the server cannot be captured: {report.problems[0]}", after=5)
        else:
            alerts.end(_SCAN)
        transcript_report.report(home() / STATE_FOLDER, _poster(user), server=f"this server as {user.pk}")
    return report.learnings


def process_queue() -> int:
    """Store the queue files and return how many learnings were new; 0 as for `scan_transcripts`."""
    user = _user()
    with try_advisory_lock("capture on the server: queue") as acquired:
        if user is None or not acquired:
            return 0
        processor = QueueProcessor(
            home() / QUEUE_FOLDER,
            DatabaseSink(user),
            alert=_begin_delivery_alert,
            recovered=_end_delivery_alert,
            stop=_deadline(),
        )
        try:
            result = processor.process(lock_timeout=1.0)
        except LockTimeoutError:
            return 0
    if not result.error and not result.failed:
        _end_delivery_alert("")
    return result.stored


def home() -> Path:
    """Return the folder of capture's files on the server."""
    return Path(settings.DATA_DIR) / "capture"


def _user() -> User | None:
    """Return the user who owns the learnings; None if not configured, and an alert if there is no such user."""
    if not settings.CAPTURE_ROOTS or not settings.CAPTURE_USER:
        return None
    user = User.objects.filter(username=settings.CAPTURE_USER, is_active=True).first()
    if user is None:
        alerts.begin(_SETTINGS, f"MEMORYSERVER_CAPTURE_USER is {settings.CAPTURE_USER!r}, and there is no such user")
        return None
    alerts.end(_SETTINGS)
    return user


def _poster(user: User) -> Callable[[str, object], object]:
    def post(path: str, body: object) -> object:
        reported = ReportedContexts.model_validate(body).contexts_reported()
        return {"received": len(reported), "changed": reports.report(user, reported)}

    return post


def _begin_delivery_alert(reason: str) -> None:
    alerts.begin(_DELIVERY, f"on the server itself: {reason}")


def _end_delivery_alert(reason: str) -> None:
    alerts.end(_DELIVERY)


def _deadline() -> Callable[[], bool]:
    end = time.monotonic() + SECONDS
    return lambda: time.monotonic() > end


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return shorten(f"{'.'.join(map(str, first['loc'])) or 'queue file'}: {first['msg']}", 500)
