"""Middleware of the API: request bodies that are compressed with gzip."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from memoryserver import problems

_GZIP = 16 + zlib.MAX_WBITS
GetResponse = Callable[[HttpRequest], HttpResponse]


class RequestCompressionMiddleware:
    """Decompress API request bodies with `Content-Encoding: gzip`.

    A decompressed body is subject to `DATA_UPLOAD_MAX_MEMORY_SIZE` like any other: larger ones get a 413. Invalid or
    truncated gzip gets a 400, any other encoding a 415.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Replace the request's body with the decompressed one, then call the view."""
        encoding = request.headers.get("Content-Encoding", "").strip().lower()
        if not request.path.startswith("/api/") or encoding in ("", "identity"):
            return self._get_response(request)
        if encoding not in ("gzip", "x-gzip"):
            return problems.response(415, f"Content-Encoding {encoding[:40]!r} is not supported; use gzip or none")
        try:
            _replace_body(request, _decompress(request.body, settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
        except RequestDataTooBig:
            return problems.response(413, "the request is larger than this server accepts; send smaller batches")
        except (zlib.error, UnreadablePostError) as error:
            return problems.response(400, f"the body is not valid gzip: {error}")
        return self._get_response(request)


def _decompress(compressed: bytes, limit: int) -> bytes:
    """Return the decompressed body. Raises RequestDataTooBig above `limit` bytes, and zlib.error."""
    decompressor = zlib.decompressobj(_GZIP)
    body = decompressor.decompress(compressed, limit + 1)
    if len(body) > limit:
        raise RequestDataTooBig
    if not decompressor.eof:
        raise zlib.error("unexpected end of data")
    if decompressor.unused_data:
        raise zlib.error("trailing data")
    return body


def _replace_body(request: HttpRequest, body: bytes) -> None:
    """Make the request look as if `body` had been sent uncompressed."""
    request._body = body  # where `HttpRequest.body` caches what it has read
    request._stream = BytesIO(body)
    request.META["CONTENT_LENGTH"] = str(len(body))
    del request.META["HTTP_CONTENT_ENCODING"]
    request.__dict__.pop("headers", None)  # a cached view of META
