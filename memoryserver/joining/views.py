"""What a laptop fetches to join: the script, the client, and what version and checksum the client has.

All of it is public, since who joins has no token yet; it contains the address of the server and nothing of its data.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from memoryserver.joining.address import server_address
from memoryserver.joining.client_archive import OLDEST_PYTHON, client_archive

_SCRIPTS = Path(__file__).parent / "scripts"


@login_not_required
@require_safe
def shell_script(request: HttpRequest) -> HttpResponseBase:
    """Return the script for `sh`."""
    return _script(request, "join.sh", shlex.quote)


@login_not_required
@require_safe
def powershell_script(request: HttpRequest) -> HttpResponseBase:
    """Return the script for PowerShell."""
    return _script(request, "join.ps1", lambda value: "'" + value.replace("'", "''") + "'")


@login_not_required
@require_safe
def client_file(request: HttpRequest) -> HttpResponseBase:
    """Return the client."""
    response = HttpResponse(client_archive().content, content_type="application/zip")
    return _fresh(response)


@login_not_required
@require_safe
def client_facts(request: HttpRequest) -> HttpResponseBase:
    """Return the client's version, size, checksum, path and the oldest Python that runs it, for `memory update`."""
    archive = client_archive()
    facts = {
        "version": archive.version,
        "sha256": archive.sha256,
        "size": len(archive.content),
        "path": reverse("client-file"),
        "python": list(OLDEST_PYTHON),
    }
    return _fresh(JsonResponse(facts))


def _script(request: HttpRequest, name: str, quoted: Callable[[str], str]) -> HttpResponseBase:
    archive = client_archive()
    values = {
        "@SERVER@": server_address(request),
        "@PATH@": reverse("client-file"),
        "@SHA256@": archive.sha256,
        "@VERSION@": archive.version,
        "@PYTHON@": ".".join(map(str, OLDEST_PYTHON)),
    }
    text = (_SCRIPTS / name).read_text("utf-8")
    for placeholder, value in values.items():
        text = text.replace(placeholder, quoted(value))
    return _fresh(HttpResponse(text, content_type="text/plain; charset=utf-8"))


def _fresh(response: HttpResponse) -> HttpResponse:
    """Have the response asked for each time: script and client belong together."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
