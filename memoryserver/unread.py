"""What is left of a request's body when the server has answered with an error without reading it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError

MOST_LIMITS = 2
"""How many times the largest body is read at most; whoever sends more than that may find the connection closed."""

SECONDS = 10.0
_CHUNK = 1 << 16


class UnreadBodyMiddleware:
    """Read the rest of the body of a request that is refused, and throw it away, before the response is sent.

    If the connection was closed instead, a client that still sends, or the proxy between, would see an error of the
    connection and not the response.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Read what is left, up to MOST_LIMITS times MEMORYSERVER_MAX_REQUEST_BYTES and for SECONDS."""
        response = self._get_response(request)
        if response.status_code >= 400:
            with _deadline(request.META.get("gunicorn.socket")) as time_is_up:
                discard(request, MOST_LIMITS * settings.DATA_UPLOAD_MAX_MEMORY_SIZE, time_is_up)
        return response


def discard(request: HttpRequest, most: int, time_is_up: Callable[[], bool]) -> int:
    """Read the rest of the body, up to about `most` bytes, and return how many that were."""
    discarded = 0
    try:
        while discarded < most and not time_is_up() and (chunk := request.read(_CHUNK)):
            discarded += len(chunk)
    except (UnreadablePostError, OSError):  # the client has gone, or sends nothing more
        pass
    return discarded


@contextmanager
def _deadline(connection: socket.socket | None) -> Iterator[Callable[[], bool]]:
    """Yield what says whether SECONDS are over; a read of `connection` does not take longer either."""
    end = time.monotonic() + SECONDS
    if connection is None:
        yield lambda: time.monotonic() > end
        return
    before = connection.gettimeout()

    def time_is_up() -> bool:
        left = end - time.monotonic()
        connection.settimeout(max(left, 0.01))
        return left <= 0

    try:
        yield time_is_up
    finally:
        connection.settimeout(before)
