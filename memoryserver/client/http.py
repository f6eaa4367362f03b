"""HTTP client of the server's API: JSON with a bearer token, by the standard library.

What it sends is redacted here once more, as the last place on the laptop: files that wait may be of an older version.

Bodies above a kilobyte are sent compressed; a server too old to accept that gets them once more uncompressed. Both
sides name their version in every message, so that `memory doctor` can tell an old client from an old server.

ServerError
├── UnreachableError          offline, timed out, or the server failed (5xx, 429): try again later
└── RefusedError              the server answered 4xx
    └── UnauthorizedError     401, 403: the token is refused, whatever was asked; not where it lacks a scope
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.parse
import zlib
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from memoryserver import __version__
from memoryserver.client import agent_session, context_version
from memoryserver.common import text
from memoryserver.common.protocol import API_ROOT, CONTEXT_VERSION_HEADER, SESSION_HEADER, VERSION_HEADER
from memoryserver.common.redaction import redact_value

_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_PART_BYTES = 1 << 16
_COMPRESSED_FROM = 1024  # bytes
_GZIP = 16 + zlib.MAX_WBITS
_NOT_UNDERSTOOD = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
_UNAUTHORIZED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_MAX_DETAIL = 500  # characters of the server's explanation that go into an error
MAX_RETRY_AFTER = 3600.0  # seconds; a server that asks for more is asked again after this


class ServerError(Exception):
    """A request to the server did not succeed; the text is one line fit for a person.

    `retry_after` is the number of seconds the server asked to wait (Retry-After), at most MAX_RETRY_AFTER; 0 if none.
    """

    retry_after: float = 0.0


class UnreachableError(ServerError):
    """There was no usable answer; what the server did is not known, so the request is sent again later."""


class RefusedError(ServerError):
    """The server answered 4xx. `status` is the HTTP status, `problem` the problem+json it sent."""

    def __init__(self, message: str, status: int, problem: dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem


class UnauthorizedError(RefusedError):
    """The server refuses the token: no other request succeeds with it either."""


class Client:
    """One server as one user sees it. `url` is the server's address without the API path; the token may be "".

    `server_version` and `date` are from the headers of the last answer, empty where it had none.
    `session` is the agent's session that asks, "" if none is known.
    `for_agent` tells the server that an agent asks, not a person. `after_post` is called after each POST that was
    accepted, with how many bytes all of them had.
    Raises ValueError for an address that is not http(s)://host[:port][/prefix].
    """

    def __init__(self, url: str, token: str, *, timeout: float = 10.0) -> None:
        parts = urllib.parse.urlsplit(url)
        plain = url.isprintable() and " " not in url
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0 or not plain:
            raise ValueError(f"{url!r} is not an address like http://127.0.0.1:8000")
        self.url = url.rstrip("/")
        self._parts = parts
        self._token = token
        self._timeout = timeout
        self._compresses = True
        self.for_agent = False
        self.session = agent_session.current()
        self.server_version = ""
        self.date = ""
        self.after_post: Callable[[int], object] | None = None
        self._posted = 0

    @property
    def account(self) -> str:
        """What identifies the token, and hence the user, without revealing it: part of its digest."""
        import hashlib  # only delivery of the journal asks

        return hashlib.sha256(self._token.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def get(self, path: str, params: dict[str, Any] | None = None) -> Any:
        """GET `path` below the API's root as JSON; lists in `params` repeat their key, None is left out."""
        return self._json(*self._request("GET", _with_query(path, params), None))

    def get_text(self, path: str, params: dict[str, Any] | None = None) -> str:
        """Return the answer to GET where it is plain text."""
        return self.get_text_and_headers(path, params)[0]

    def get_text_and_headers(
        self, path: str, params: dict[str, Any] | None = None
    ) -> tuple[str, http.client.HTTPMessage]:
        """Return the plain text and the headers of the answer; header names are case-insensitive."""
        status, content, headers = self._request("GET", _with_query(path, params), None)
        if status == HTTPStatus.OK:
            return content.decode("utf-8", "replace"), headers
        return self._json(status, content, headers), headers

    def download(self, path: str, params: dict[str, Any] | None, write: Callable[[bytes], object]) -> None:
        """GET `path` and give its content to `write` in parts, however long it is.

        Raises ServerError also where the connection ends before the content does.
        """
        connection = self._connection()
        try:
            response = self._request_with(connection, "GET", _with_query(path, params), None, {})
            if response.status != HTTPStatus.OK:
                self._json(response.status, response.read(_MAX_ANSWER_BYTES), response.headers)
            while part := response.read(_PART_BYTES):
                write(part)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def post(self, path: str, body: object) -> Any:
        """POST `body`, redacted, as JSON to `path` below the API's root and return the decoded answer."""
        data = json.dumps(redact_value(body)).encode("ascii")
        answer = self._json(*self._request("POST", path, data))
        self._posted += len(data)
        if self.after_post:
            self.after_post(self._posted)
        return answer

    def delete(self, path: str) -> None:
        """DELETE `path` below the API's root."""
        status, content, headers = self._request("DELETE", path, None)
        if status != HTTPStatus.NO_CONTENT:
            self._json(status, content, headers)

    def _request(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes, http.client.HTTPMessage]:
        if body is None or len(body) < _COMPRESSED_FROM or not self._compresses:
            return self._send(method, path, body, {})
        answer = self._send(method, path, _gzip(body), {"Content-Encoding": "gzip"})
        if answer[0] not in _NOT_UNDERSTOOD or (answer[0] == HTTPStatus.BAD_REQUEST and self.server_version):
            return answer
        answer = self._send(method, path, body, {})
        self._compresses = answer[0] in _NOT_UNDERSTOOD  # then it was not the compression that it disliked
        return answer

    def _send(
        self, method: str, path: str, body: bytes | None, more: dict[str, str]
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = self._connection()
        try:
            response = self._request_with(connection, method, path, body, more)
            return response.status, response.read(_MAX_ANSWER_BYTES), response.headers
        except (OSError, http.client.HTTPException, UnicodeError) as error:  # the last of a strange host name
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _request_with(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, more: dict[str, str]
    ) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json", **more}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        headers["User-Agent"] = f"memory/{__version__}" + (" (agent)" if self.for_agent else "")
        if self.session:
            headers[SESSION_HEADER] = self.session
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, self._parts.path.rstrip("/") + API_ROOT + path, body, headers)
        response = connection.getresponse()
        self.server_version = response.headers.get(VERSION_HEADER, "")[:40]
        self.date = response.headers.get("Date", "")
        context_version.record(self.url, response.headers.get(CONTEXT_VERSION_HEADER, ""))
        return response

    def _unreachable(self, error: Exception) -> UnreachableError:
        return UnreachableError(f"{self.url} cannot be reached: {error or type(error).__name__}")

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout)

    def _json(self, status: int, content: bytes, headers: http.client.HTTPMessage) -> Any:
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if 200 <= status < 300 and answer is not None:
            return answer
        error = self._error(status, answer if isinstance(answer, dict) else {})
        error.retry_after = retry_after(headers.get("Retry-After", ""))
        raise error

    def _error(self, status: int, problem: dict[str, Any]) -> ServerError:
        detail = str(problem.get("detail") or problem.get("title") or f"HTTP status {status}")
        detail = text.shorten(text.one_line(text.printable(detail)), _MAX_DETAIL)
        if status == HTTPStatus.TOO_MANY_REQUESTS or not 400 <= status < 500:
            return UnreachableError(f"{self.url} could not answer ({status}): {detail}")
        if status in _UNAUTHORIZED and "scope" not in problem:  # one that lacks a scope is good for other requests
            why = f"{status}" if status == HTTPStatus.UNAUTHORIZED else f"{status}: {detail}"
            message = f"{self.url} refused the token ({why}); run: memory login {self.url}"
            return UnauthorizedError(message, status, problem)
        return RefusedError(f"{self.url} refused ({status}): {detail}", status, problem)


def retry_after(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, from 0 to MAX_RETRY_AFTER; 0 if it is not readable."""
    if value.strip().isdecimal():
        seconds = float(value)
    else:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


def _with_query(path: str, params: dict[str, Any] | None) -> str:
    query = {key: redact_value(text.clean_json(value)) for key, value in (params or {}).items() if value is not None}
    return f"{path}?{urllib.parse.urlencode(query, doseq=True)}" if query else path
