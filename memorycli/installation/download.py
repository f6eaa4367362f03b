"""Fetches from a server what client it ships, and the client itself."""

from __future__ import annotations

import hashlib
import json
import sys
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from memorycli.installation.versions import InstallationError
from memoryserver import __version__
from memoryserver.common import text

_FACTS_PATH = "/join/client.json"
_TIMEOUT = 30.0  # seconds without a byte
_MAX_FACTS = 64 * 1024  # bytes
_MAX_ARCHIVE = 32 * 1024 * 1024


@dataclass(frozen=True)
class Shipped:
    """The client that a server ships: its version and checksum, and the address of the archive."""

    version: str
    sha256: str
    address: str


def shipped(server: str) -> Shipped:
    """Return what client `server` ships. Raises InstallationError."""
    content = _fetched(server + _FACTS_PATH, _MAX_FACTS)
    try:
        facts = json.loads(content)
        version, sha256, path = str(facts["version"]), str(facts["sha256"]), str(facts["path"])
        oldest = tuple(int(number) for number in facts["python"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InstallationError(f"{server} does not answer like a memoryserver") from error
    if not path.startswith("/") or path.startswith("//"):
        raise InstallationError(f"{server} does not answer like a memoryserver")
    if sys.version_info[: len(oldest)] < oldest:
        needed = ".".join(map(str, oldest))
        raise InstallationError(f"the client of {server} needs Python {needed}; run its join line with that Python")
    return Shipped(text.one_line(text.printable(version)), sha256, server + path)


def archive(wanted: Shipped) -> bytes:
    """Return the archive. Raises InstallationError, also if its checksum is another."""
    content = _fetched(wanted.address, _MAX_ARCHIVE)
    if hashlib.sha256(content).hexdigest() != wanted.sha256:
        raise InstallationError(
            f"what came from {wanted.address} is damaged, or the server was updated just now; nothing was changed, "
            "run this again"
        )
    return content


def _fetched(address: str, most: int) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": f"memory/{__version__}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310 - the address is http(s)
            content: Any = response.read(most + 1)
    except (OSError, HTTPException, ValueError) as error:
        raise InstallationError(f"{address} could not be fetched: {error}; nothing was changed") from error
    if len(content) > most:
        raise InstallationError(f"{address} is larger than any client; nothing was changed")
    return bytes(content)
