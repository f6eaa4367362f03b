"""The database cannot be reached: how that is told from other errors, and what pages say that need no database.

An error of a statement is the server's fault (500). One of the connection is an outage (503): the answer says since
when, what still works and what to do. Nothing must be restarted afterwards, as each request connects by itself.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone

logger = logging.getLogger(__name__)

RETRY_AFTER = 10
"""Seconds after which to try again: in Retry-After, and until the page loads itself again."""

READ_BY_PROGRAMS = ("/healthz", "/readyz", "/metrics", "/join")
"""The beginnings of paths that get a line of text."""

# The server ends the connection, is starting or stopping, or has no connection left.
_ENDED = {"57P01", "57P02", "57P03", "57P05", "53300"}
_CONNECTION_EXCEPTIONS = "08"


class _State:
    """Since when this process has not reached the database; None if it has, or has not tried."""

    since: datetime | None = None


def is_outage(error: BaseException | None) -> bool:
    """Return whether `error`, or what it came from, says that the database cannot be reached."""
    return any(_is_of_connection(each) for each in _with_causes(error))


def since() -> datetime:
    """Return since when this process has found the database out of reach; now, if it finds that for the first time."""
    if _State.since is None:
        _State.since = timezone.now()
    return _State.since


def record(request: HttpRequest) -> None:
    """Write to the log, in one line, that the request is answered with a 503, and why."""
    reason = " ".join(str(sys.exception() or "").split())[:200]
    logger.warning("the database cannot be reached", extra={"path": request.path, "reason": reason})


def page(request: HttpRequest) -> HttpResponse:
    """Return the page of an outage, which is made without the database; a line of text for what programs read."""
    record(request)
    began = since()
    if request.path.startswith(READ_BY_PROGRAMS):
        text = f"the database cannot be reached since {began:%Y-%m-%d %H:%M:%S} UTC\n"
        return with_retry(HttpResponse(text, status=503, content_type="text/plain; charset=utf-8"))
    content = render_to_string("503.html", {"since": began, "retry": RETRY_AFTER, "again": request.method == "GET"})
    return with_retry(HttpResponse(content, status=503))


def with_retry(response: HttpResponse) -> HttpResponse:
    """Return `response` with the headers that say when to try again, and that it must not be kept."""
    response.headers["Retry-After"] = str(RETRY_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_of_connection(error: BaseException) -> bool:
    """Return whether an error of the driver, or Django's own without one, is about the connection."""
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        state = error.sqlstate  # None where the server has not answered
        return state is None or state in _ENDED or state.startswith(_CONNECTION_EXCEPTIONS)
    return isinstance(error, OperationalError | InterfaceError) and error.__cause__ is None


def _end(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.alias == DEFAULT_DB_ALIAS:
        _State.since = None


connection_created.connect(_end, dispatch_uid="memoryserver.outages")
