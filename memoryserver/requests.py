"""Middleware of every request: the client's address, and an id that is in the response and in each line of the log."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from memoryserver.common.protocol import REQUEST_ID_HEADER

GetResponse = Callable[[HttpRequest], HttpResponse]
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


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


def is_address(text: str) -> bool:
    """Return whether `text` is an IP address, without a port."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
