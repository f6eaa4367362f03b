"""The database cannot be reached or cannot store anything, and what is answered that needs no database.

An error of a statement is the server's fault (500). One of the connection, or of a disk that is full, is an outage
(503): the answer says since when it cannot be reached, what still works and what to do. Nothing must be restarted
afterwards, as each request connects by itself.
"""

from __future__ import annotations

import logging
import sys
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone

from memoryserver.outages.errors import cannot_store, reason_of

logger = logging.getLogger(__name__)

RETRY_AFTER = 10
"""Seconds after which to try again: in Retry-After, and until the page loads itself again."""

READ_BY_PROGRAMS = ("/healthz", "/readyz", "/metrics", "/join")
"""The beginnings of paths that get a line of text."""


class _State:
    """Since when this process has not reached the database; None if it has, or has not tried."""

    since: datetime | None = None


def since() -> datetime:
    """Return since when this process has found the database out of reach; now, if it finds that for the first time."""
    if _State.since is None:
        _State.since = timezone.now()
    return _State.since


def what() -> str:
    """Return what is wrong with the database, by the exception that is being handled."""
    return cannot_store(sys.exception()) or f"the database cannot be reached since {since():%Y-%m-%d %H:%M:%S} UTC"


def record(request: HttpRequest) -> None:
    """Write to the log, in one line, that the request is answered with a 503, and why."""
    error = sys.exception()
    message = cannot_store(error) or "the database cannot be reached"
    logger.warning(message, extra={"path": request.path, "reason": reason_of(error)})


def page(request: HttpRequest) -> HttpResponse:
    """Return the page of an outage, which is made without the database; a line of text for what programs read."""
    record(request)
    if request.path.startswith(READ_BY_PROGRAMS):
        return with_retry(HttpResponse(f"{what()}\n", status=503, content_type="text/plain; charset=utf-8"))
    full = cannot_store(sys.exception())
    context = {"cannot_store": full, "since": None if full else since(), "retry": RETRY_AFTER}
    content = render_to_string("503.html", context | {"again": request.method == "GET"})
    return with_retry(HttpResponse(content, status=503))


def with_retry(response: HttpResponse) -> HttpResponse:
    """Return `response` with the headers that say when to try again, and that it must not be kept."""
    response.headers["Retry-After"] = str(RETRY_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


def _end(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.alias == DEFAULT_DB_ALIAS:
        _State.since = None


connection_created.connect(_end, dispatch_uid="memoryserver.outages")
