"""API of capture: laptops deliver queue files and report their contexts, hooks tell of compactions."""

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
from pydantic import AwareDatetime

from capture import compactions, contexts, failures, sink
from capture.incoming import QueueFile, ReportedContexts
from memoryserver.accounts.auth import AuthenticatedRequest
from memoryserver.accounts.models import ApiToken
from memoryserver.accounts.projects import project_for

logger = logging.getLogger(__name__)

router = Router(tags=["capture"])

_NOT_THE_FILES_FAULT = frozenset({401, 403, 408, 429})

Run = Callable[..., HttpResponse]


class Delivered(Schema):
    """What became of a queue file."""

    capture_id: uuid.UUID
    stored: int
    known: int
    duplicate: bool


class ContextsNoted(Schema):
    """How many contexts were given, and of how many it was news."""

    received: int
    changed: int


class CompactionIn(Schema):
    """A compaction that a hook tells of. `id` is the hook's own, so that it can be sent again."""

    id: uuid.UUID
    context_id: str = Field(min_length=1, max_length=200)
    project: str = ""
    trigger: Literal["manual", "auto", "detected", "proactive_monitor"]
    happened_at: AwareDatetime


class CompactionNoted(Schema):
    """Whether it was new here."""

    id: uuid.UUID
    new: bool


def _failures_are_told(run: Run) -> Run:
    """A queue file that is not taken, whatever the reason, is kept as a failure and raises an alert."""

    @wraps(run)
    def noting(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        answer = run(request, **kwargs)
        if answer.status_code >= 400 and answer.status_code not in _NOT_THE_FILES_FAULT:
            _note_failure(request, answer)
        return answer

    return noting


@router.post("/queue-files", response=Delivered, summary="Deliver a queue file")
@decorate_view(_failures_are_told)
def deliver(request: AuthenticatedRequest, queue_file: QueueFile) -> dict[str, Any]:
    """Idempotent by capture id; once this has answered, the laptop may delete the file."""
    stored = sink.store(request.user, project_for(request.user, queue_file.project), queue_file.incoming())
    return {"capture_id": queue_file.capture_id, **vars(stored)}


@router.post("/contexts", response=ContextsNoted, summary="Report contexts")
def report(request: AuthenticatedRequest, body: ReportedContexts) -> dict[str, int]:
    """What the laptop has read, also where nothing was learned. Again, or an older report, changes nothing."""
    return {"received": len(body.contexts), "changed": contexts.report(request.user, body.contexts_reported())}


@router.post("/compactions", response=CompactionNoted, summary="Tell of a compaction")
def compacted(request: AuthenticatedRequest, body: CompactionIn) -> dict[str, Any]:
    """Idempotent by id. One that capture has noticed in the transcript too is kept once, with this trigger."""
    told = compactions.ToldCompaction(**body.dict(exclude={"project"}))
    return {"id": body.id, "new": compactions.receive(request.user, project_for(request.user, body.project), told)}


def _note_failure(request: HttpRequest, answer: HttpResponse) -> None:
    """What cannot even be noted, as while the database is away, is in the log alone."""
    token = getattr(request, "auth", None)
    if not isinstance(token, ApiToken):
        return
    body = _object(request.body) if answer.status_code != 413 else {}
    named = {name: body[name] for name in ("capture_id", "context_id") if isinstance(body.get(name), str)}
    reason = str(_object(answer.content).get("detail") or f"HTTP status {answer.status_code}")
    try:
        failures.note(
            token.user,
            capture_id=named.get("capture_id", ""),
            context_id=named.get("context_id", ""),
            reason=reason,
        )
    except Exception:  # the answer that the laptop waits for must not be lost
        logger.exception("a queue file that was not stored could not be noted", extra={"reason": reason})


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
