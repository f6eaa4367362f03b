"""The laptop's side of the device flow (RFC 8628): ask for a code, poll until somebody has allowed it in a browser."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from memorycli.errors import CommandError
from memoryserver.client.http import Client, RefusedError, UnreachableError
from memoryserver.common import text

_DEFAULT_INTERVAL = 5  # seconds (RFC 8628, 3.2)
_LONGEST_INTERVAL = 60
_LONGEST_WAIT = 1800
_ENDINGS = {
    "access_denied": "the request was denied in the browser; nothing was stored",
    "expired_token": "nobody allowed the request in time; run memory login again",
    "invalid_grant": "the server no longer knows the request; run memory login again",
}


class NoDeviceFlowError(Exception):
    """The server is too old for the device flow: a token has to be pasted."""


@dataclass(frozen=True)
class Request:
    """A request that waits: the code for the person, and the page on which they type it."""

    user_code: str
    page: str
    page_with_code: str
    device_code: str
    interval: int
    expires_in: int


def ask(client: Client) -> Request:
    """Ask the server for the codes. Raises NoDeviceFlowError, CommandError and ServerError."""
    try:
        answer = client.post("/device/code", {"client_name": platform.node()})
    except RefusedError as error:
        if error.status in (401, 404, 405):
            raise NoDeviceFlowError from error
        raise
    try:
        user_code = text.one_line(text.printable(answer["user_code"]))
        page = _own_page(client.url, answer["verification_uri"])
        complete = _own_page(client.url, answer["verification_uri_complete"])
        interval, expires_in = int(answer.get("interval", _DEFAULT_INTERVAL)), int(answer["expires_in"])
        return Request(user_code, page, complete, str(answer["device_code"]), interval, expires_in)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CommandError(f"{client.url} does not answer like a memoryserver; nothing was stored") from error


def wait(client: Client, request: Request, *, sleep: Callable[[float], None] = time.sleep) -> tuple[str, str]:
    """Poll until the request is decided; return the token and its user. Raises CommandError and ServerError.

    A server that cannot be reached for a while is asked again until the code has expired.
    """
    interval = min(max(request.interval, 0), _LONGEST_INTERVAL)
    deadline = time.monotonic() + min(max(request.expires_in, 0), _LONGEST_WAIT)
    while time.monotonic() < deadline:
        sleep(interval)
        try:
            answer = client.post("/device/token", {"device_code": request.device_code})
        except UnreachableError as error:
            interval = max(interval, int(error.retry_after))
            continue
        except RefusedError as error:
            interval = _next_interval(error, interval)
            continue
        return _token_in(answer, client.url)
    raise CommandError(_ENDINGS["expired_token"])


def _next_interval(error: RefusedError, interval: int) -> int:
    """Return in how many seconds to poll again. Raises CommandError if the request has ended, else the error itself."""
    code = str(error.problem.get("error", ""))
    if code == "authorization_pending":
        return interval
    if code == "slow_down":
        return min(interval + _DEFAULT_INTERVAL, _LONGEST_INTERVAL)
    if code in _ENDINGS:
        raise CommandError(_ENDINGS[code]) from error
    raise error


def _token_in(answer: Any, url: str) -> tuple[str, str]:
    token = answer.get("access_token") if isinstance(answer, dict) else None
    if not isinstance(token, str) or not token:
        raise CommandError(f"{url} does not answer like a memoryserver; nothing was stored")
    return token, str(answer.get("user", ""))


def _own_page(url: str, page: str) -> str:
    """Return the address of `page` on the server that was asked: no answer makes the browser open another one."""
    parts = urlsplit(page)
    path = parts.path if parts.path.startswith("/") else f"/{parts.path}"
    base = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    address = f"{base.scheme}://{base.netloc}{path}{query}"
    if not address.isprintable() or " " in address:
        raise ValueError(page)
    return address
