"""API of capture: clients deliver queue files and report transcripts, hooks report compactions; its metrics."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Field, Router, Schema
from ninja.decorators import decorate_view

from capture import compactions, contexts, failures, sink
from capture.incoming import QueueFile, ReportedContexts
from capture.metrics import reports
from memoryserver.accounts.auth import INGEST, READ, AuthenticatedRequest
from memoryserver.accounts.models import ApiToken
from memoryserver.accounts.projects import asked_key, project_for
from memoryserver.common.redaction import redact_value
from memoryserver.reported_times import UtcDatetime

logger = logging.getLogger(__name__)

router = Router(tags=["capture"])

_UNRELATED_TO_FILE = frozenset({401, 403, 408, 429})

Run = Callable[..., HttpResponse]


class Delivered(Schema):
    """The result of a delivery."""

    capture_id: uuid.UUID
    stored: int
    known: int
    duplicate: bool


class ContextsNoted(Schema):
    """The number of contexts received, and of those that changed."""

    received: int
    changed: int


class YieldOut(Schema):
    """Transcripts with messages, and of these the sessions: `share` is of the sessions with learnings, from 0 to 1."""

    name: str
    contexts: int
    with_learnings: int
    sessions: int
    sessions_with_learnings: int
    share: float | None


class LatencyOut(Schema):
    """The seconds from capture on the laptop to the database; null without captures. `in_time` is within the target."""

    captures: int
    in_time: int
    median_seconds: float | None
    p95_seconds: float | None

    @staticmethod
    def resolve_median_seconds(latency: reports.Latency) -> float | None:
        return None if latency.median is None else latency.median.total_seconds()

    @staticmethod
    def resolve_p95_seconds(latency: reports.Latency) -> float | None:
        return None if latency.p95 is None else latency.p95.total_seconds()


class FailuresOut(Schema):
    """Queue files that were refused, those still not stored, learnings not embedded, and failures without an alert."""

    refused: int
    open: int
    not_embedded: int
    silent: int


class MetricsOut(Schema):
    """The metrics of a scope; `total`, `by_project` and `by_user` count transcripts, the others what came from them."""

    total: YieldOut
    by_project: list[YieldOut]
    by_user: list[YieldOut]
    latency: LatencyOut
    failures: FailuresOut
    learnings: int
    by_type: dict[str, int]
    by_day: dict[str, int]
    compactions: dict[str, int]

    @staticmethod
    def resolve_by_type(report: reports.Report) -> dict[str, int]:
        return dict(report.by_type)

    @staticmethod
    def resolve_by_day(report: reports.Report) -> dict[str, int]:
        return {day.isoformat(): count for day, count in report.by_day}


class CompactionIn(Schema):
    """A compaction reported by a hook. `id` is created by the hook, so that sending it again is safe."""

    id: uuid.UUID
    context_id: str = Field(min_length=1, max_length=200)
    project: str = ""
    trigger: Literal["manual", "auto", "detected", "proactive_monitor"]
    happened_at: UtcDatetime


class CompactionNoted(Schema):
    """The compaction's id, and whether it was new."""

    id: uuid.UUID
    new: bool


def _record_failures(run: Run) -> Run:
    """Wrap `run` so that a rejected queue file is recorded as a failure and raises an alert."""

    @wraps(run)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        response = run(request, **kwargs)
        if response.status_code >= 400 and response.status_code not in _UNRELATED_TO_FILE:
            _record_failure(request, response)
        return response

    return wrapped


@router.post("/queue-files", auth=INGEST, response=Delivered, summary="Deliver a queue file")
@decorate_view(_record_failures)
def deliver(request: AuthenticatedRequest, queue_file: QueueFile) -> dict[str, Any]:
    """Idempotent by capture id. The client may delete the file after a successful response."""
    result = sink.store(request.user, project_for(request.user, queue_file.project), queue_file.incoming())
    return {"capture_id": queue_file.capture_id, **vars(result)}


@router.post("/contexts", auth=INGEST, response=ContextsNoted, summary="Report contexts")
def report(request: AuthenticatedRequest, body: ReportedContexts) -> dict[str, int]:
    """Transcripts read by the client, including those without learnings. Repeated and older reports change nothing."""
    return {"received": len(body.contexts), "changed": contexts.report(request.user, body.contexts_reported())}


@router.post("/compactions", auth=INGEST, response=CompactionNoted, summary="Report a compaction")
def compacted(request: AuthenticatedRequest, body: CompactionIn) -> dict[str, Any]:
    """Idempotent by id. A compaction that capture detected in the transcript too is stored once, with this trigger."""
    reported = compactions.ReportedCompaction(**body.dict(exclude={"project"}))
    return {"id": body.id, "new": compactions.receive(request.user, project_for(request.user, body.project), reported)}


@router.get("/metrics", auth=READ, response=MetricsOut, summary="Metrics of capture")
def show_metrics(
    request: AuthenticatedRequest, project: str = "", user: str = "", team: str = "", days: int = 30
) -> reports.Report:
    """Whether capture works: of the last 7, 30 or 90 `days`, and of what the caller may see, as at `/capture/`."""
    return reports.report(request.user, reports.Scope(asked_key(request.user, project), user, team, days))


def _record_failure(request: HttpRequest, response: HttpResponse) -> None:
    """Record the failure; if that fails too, as without a database, only log it."""
    token = getattr(request, "auth", None)
    if not isinstance(token, ApiToken):
        return
    body = redact_value(_json_object(request.body)) if response.status_code != 413 else {}
    ids = {name: body[name] for name in ("capture_id", "context_id") if isinstance(body.get(name), str)}
    reason = str(_json_object(response.content).get("detail") or f"HTTP status {response.status_code}")
    try:
        failures.record(
            token.user,
            capture_id=ids.get("capture_id", ""),
            context_id=ids.get("context_id", ""),
            reason=reason,
        )
    except Exception:  # the client must still get its response
        logger.exception("a rejected queue file could not be recorded", extra={"reason": reason})


def _json_object(content: bytes) -> dict[str, Any]:
    """Return the JSON object in `content`, empty if it is not one."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
