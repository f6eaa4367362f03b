"""Middleware for what is done after an answer was sent, so that nobody waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

import structlog
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

_WORK = "memoryserver.afterwards"  # the key of the request's META


def after_answer(request: HttpRequest, work: Callable[[], None]) -> None:
    """Have the thread that answers `request` do `work` once the answer was sent, before it takes another request.

    There is one such work for a request. It is lost only if the process is killed in between; an error is logged.
    """
    request.META[_WORK] = work


class AfterAnswerMiddleware:
    """Have the work of `after_answer` done when the web server closes the response, which it does after sending it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the work to the closing of the response."""
        response = self._get_response(request)
        work = request.META.pop(_WORK, None)
        if work is not None:
            close = partial(_close, response.close, work, request.META.get("REQUEST_ID"))
            response.close = close  # type: ignore[method-assign]
        return response


def _close(close: Callable[[], None], work: Callable[[], None], request_id: str | None) -> None:
    with structlog.contextvars.bound_contextvars(request_id=request_id):
        try:
            work()
        except Exception:
            logger.exception("the work after an answer failed")
    close()
