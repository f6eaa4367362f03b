"""Requests to the API that come compressed, and the server's version in what goes back."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from memoryserver import __version__, problems
from memoryserver.common.protocol import VERSION_HEADER

_GZIP = 16 + zlib.MAX_WBITS
GetResponse = Callable[[HttpRequest], HttpResponse]


class RequestCompressionMiddleware:
    """Lets the API take bodies with `Content-Encoding: gzip`.

    The whole of a body, unpacked, obeys the limit that holds for every other (`DATA_UPLOAD_MAX_MEMORY_SIZE`), however
    well it was packed: 413. What is no gzip or breaks off is a 400, another encoding a 415.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Unpack the body before any view sees it."""
        encoding = request.headers.get("Content-Encoding", "").strip().lower()
        if not request.path.startswith("/api/") or encoding in ("", "identity"):
            return self._get_response(request)
        if encoding not in ("gzip", "x-gzip"):
            return problems.response(415, f"a body can be sent as it is or as gzip, not as {encoding[:40]!r}")
        try:
            _replace_body(request, _unpack(request.body, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
        except RequestDataTooBig:
            return problems.response(413, "the request is larger than this server takes; send smaller batches")
        except (zlib.error, UnreadablePostError) as error:
            return problems.response(400, f"the body is not the gzip that its Content-Encoding says: {error}")
        return self._get_response(request)


class VersionMiddleware:
    """Names the server's version in every answer of the API."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the header."""
        response = self._get_response(request)
        if request.path.startswith("/api/"):
            response.headers[VERSION_HEADER] = __version__
        return response


def _unpack(packed: bytes, limit: int) -> bytes:
    """The body. Raises RequestDataTooBig where it has more than `limit` bytes, and zlib.error."""
    unpacker = zlib.decompressobj(_GZIP)
    body = unpacker.decompress(packed, limit + 1)
    if len(body) > limit:
        raise RequestDataTooBig
    if not unpacker.eof:
        raise zlib.error("it breaks off")
    if unpacker.unused_data:
        raise zlib.error("something follows its end")
    return body


def _replace_body(request: HttpRequest, body: bytes) -> None:
    """From here on the request is one that was sent as it is."""
    request._body = body  # what `HttpRequest.body` keeps once it is read
    request._stream = BytesIO(body)
    request.META["CONTENT_LENGTH"] = str(len(body))
    del request.META["HTTP_CONTENT_ENCODING"]
    request.__dict__.pop("headers", None)  # a cached view of META
