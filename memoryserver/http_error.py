"""What an HTTP response that is an error says."""

from __future__ import annotations

import http.client
from urllib.error import HTTPError

from memoryserver.common.text import clean, one_line, shorten

_READ = 2000  # bytes
_SHOWN = 200


def reason(error: HTTPError) -> str:
    """Close the response; return its status and the beginning of its body on one line, the status alone without one."""
    try:
        with error:
            body = error.read(_READ)
    except (OSError, http.client.HTTPException):  # the server went away while it answered
        body = b""
    return f"status {error.code} {shorten(one_line(clean(body.decode('utf-8', 'replace'))), _SHOWN)}".rstrip()
