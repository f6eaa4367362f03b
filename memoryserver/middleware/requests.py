"""Middleware of every request: the client's address, an id for the response and the log, and the rest of its body."""

from __future__ import annotations

import ipaddress
import re
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from memoryserver.common.protocol import REQUEST_ID_HEADER

GetResponse = Callable[[HttpRequest], HttpResponse]
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

REFUSED_BODY_LIMITS = 2
"""How much of a refused body is read, in sizes of the largest one allowed. A longer one meets a closed connection."""

REFUSED_BODY_SECONDS = 10.0
_CHUNK = 1 << 16


class RequestIdMiddleware:
    """Give the request an id: the one that the caller sent if it has the form of one, else a new one."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the id for the log, on the request's META and on the response."""
        sent = request.headers.get(REQUEST_ID_HEADER, "")
        request_id = sent if _ID.fullmatch(sent) else uuid.uuid4().hex
        request.META["REQUEST_ID"] = request_id
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self._get_response(request)
        response.headers[REQUEST_ID_HEADER] = request_id
        return response


class ClientAddressMiddleware:
    """Put the client's address in `REMOTE_ADDR`, where the server is behind `TRUSTED_PROXIES` proxies.

    Each proxy adds the address that it was called from to the end of `X-Forwarded-For`; what is before these was sent
    by the client and can be anything.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Replace the address by the one that the outermost trusted proxy saw, if it is one."""
        count: int = settings.TRUSTED_PROXIES
        addresses = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
        if count and len(addresses) >= count and is_address(addresses[-count]):
            request.META["REMOTE_ADDR"] = addresses[-count]
        return self._get_response(request)


class UnreadBodyMiddleware:
    """Read the rest of the body of a request that is refused, and throw it away, before the response is sent.

    If the connection was closed instead, a client that still sends, or the proxy between, would see an error of the
    connection and not the response.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Read what is left: REFUSED_BODY_LIMITS times the limit of a body, for REFUSED_BODY_SECONDS at most."""
        response = self._get_response(request)
        if response.status_code >= 400:
            with _deadline(request.META.get("gunicorn.socket")) as time_is_up:
                discard(request, REFUSED_BODY_LIMITS * settings.DATA_UPLOAD_MAX_MEMORY_SIZE, time_is_up)
        return response


def is_address(text: str) -> bool:
    """Return whether `text` is an IP address, without a port."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


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
    """Yield what says whether REFUSED_BODY_SECONDS are over; a read of `connection` does not take longer either."""
    end = time.monotonic() + REFUSED_BODY_SECONDS
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
