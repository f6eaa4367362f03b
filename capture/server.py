"""Capture of transcripts that lie on the server itself, of agents that work there.

The scan and the processor are the laptop's; the sink is the database. Marks, queue and failed files lie below
`capture/` in the data folder, laid out as on a laptop.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from pydantic import ValidationError

from capture import contexts as reports
from capture import failures, sink
from capture.incoming import QueueFile, ReportedContexts
from capture.local import QueueFullError, QueueProcessor
from capture.local.queue.sink import Receipt, SinkRefusedError, SinkUnavailableError
from capture.local.scanning import transcript_report
from capture.local.scanning.scanner import QUEUE_FOLDER, STATE_FOLDER, ScanReport, scan
from memoryserver.accounts.models import User
from memoryserver.accounts.projects import project_for
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.text import clean_json, shorten
from memoryserver.jobs import try_advisory_lock
from memoryserver.ops import alerts

logger = logging.getLogger(__name__)

SECONDS = 200.0
"""After these a scan or a pass over the queue ends with what it has in hand: a job may last for 300."""

_SETTINGS, _SCAN, _DELIVERY = "server capture: settings", "server capture: scan", "server capture: delivery"


class DatabaseSink:
    """The sink of capture.local that stores in this database, as `user`'s."""

    def __init__(self, user: User) -> None:
        self._user = user

    def store(self, content: dict[str, Any]) -> Receipt:
        """See capture.local.queue.sink.Sink. A file that is refused is a failure that is noted."""
        try:
            queue_file = QueueFile.model_validate(clean_json(content))
        except ValidationError as error:
            reason = _reason(error)
            self._note(content, reason)
            raise SinkRefusedError(reason) from error
        try:
            project = project_for(self._user, queue_file.project)
            stored = sink.store(self._user, project, queue_file.incoming())
        except DatabaseError as error:
            connection.close_if_unusable_or_obsolete()
            raise SinkUnavailableError(f"the database did not take it: {' '.join(str(error).split())}") from error
        return Receipt(str(queue_file.capture_id), **vars(stored))

    def _note(self, content: dict[str, Any], reason: str) -> None:
        named = {name: str(content.get(name, "")) for name in ("capture_id", "context_id")}
        failures.note(self._user, **named, reason=reason)


def scan_transcripts() -> int:
    """Put what is new in the transcripts below the settings' folders into the queue; how many learnings.

    0 at once where the settings name nobody, or while another scan runs.
    """
    user = _user()
    with try_advisory_lock("capture on the server: scan") as mine:
        if user is None or not mine:
            return 0
        report = ScanReport()
        roots = [Path(root) for root in settings.CAPTURE_ROOTS]
        try:
            scan(home(), roots, lock_timeout=1.0, stop=_deadline(), report=report)
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
    """Store what waits in the server's queue; how many learnings were new. 0 at once as above."""
    user = _user()
    with try_advisory_lock("capture on the server: queue") as mine:
        if user is None or not mine:
            return 0
        processor = QueueProcessor(
            home() / QUEUE_FOLDER,
            DatabaseSink(user),
            alert=_delivery_fails,
            recovered=_delivery_works,
            stop=_deadline(),
        )
        try:
            done = processor.process(lock_timeout=1.0)
        except LockTimeoutError:
            return 0
    if not done.error and not done.failed:
        _delivery_works("")
    return done.stored


def home() -> Path:
    """The folder in which the server captures."""
    return Path(settings.DATA_DIR) / "capture"


def _user() -> User | None:
    """In whose name; None, and an alert where a person must put it right, if there is nobody."""
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


def _delivery_fails(said: str) -> None:
    alerts.begin(_DELIVERY, f"on the server itself: {said}")


def _delivery_works(said: str) -> None:
    alerts.end(_DELIVERY)


def _deadline() -> Callable[[], bool]:
    end = time.monotonic() + SECONDS
    return lambda: time.monotonic() > end


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return shorten(f"{'.'.join(map(str, first['loc'])) or 'queue file'}: {first['msg']}", 500)
