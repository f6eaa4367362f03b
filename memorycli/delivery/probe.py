"""Asks the server whether it answers and accepts the token, for its version, and for the difference of the clocks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from memorycli.delivery import connection
from memorycli.errors import CommandError
from memoryserver import __version__
from memoryserver.client.http import Client, RefusedError, ServerError, UnauthorizedError
from memoryserver.common import text

TIMEOUT = 3.0  # seconds; a person waits
CLOCK_TOLERANCE = 60.0  # seconds


@dataclass(frozen=True)
class Probe:
    """The answer. `url` is empty where no server is known; `error` is one line, empty if there is none.

    `ahead` is by how many seconds this laptop's clock is ahead of the server's, None where the server did not say.
    """

    url: str = ""
    error: str = ""
    answers: bool = False
    takes_token: bool = False
    user: str = ""
    version: str = ""
    ahead: float | None = None


def probe() -> Probe:
    """Ask the server of this laptop."""
    try:
        client = connection.load(timeout=TIMEOUT)
    except CommandError as error:
        return Probe(error=str(error))
    began = time.time()
    try:
        answer = client.get("/whoami")
    except RefusedError as error:
        refused = isinstance(error, UnauthorizedError)
        return Probe(client.url, str(error), refused, version=client.server_version, ahead=_ahead(client, began))
    except ServerError as error:
        return Probe(client.url, str(error))
    body = answer if isinstance(answer, dict) else {}
    user = text.one_line(text.printable(str(body.get("user") or "")))
    version = client.server_version or str(body.get("server_version") or "")
    if not user:
        return Probe(client.url, f"{client.url} does not answer like a memoryserver")
    return Probe(client.url, "", True, True, user, version[:40], _ahead(client, began))


def older(version: str) -> str:
    """Return the older side, `client` or `server`; empty if both are of one release (its first two numbers)."""
    own, other = _release(__version__), _release(version)
    if own == other:
        return ""
    return "server" if other is None or (own is not None and other < own) else "client"


def clock_difference(ahead: float | None) -> str:
    """Return how wrong a clock is that is so many seconds ahead of the server's, in words; empty if it is right."""
    if ahead is None or abs(ahead) <= CLOCK_TOLERANCE:
        return ""
    return f"{_span(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'} the server's"


def _release(version: str) -> tuple[int, int] | None:
    """Return the release of a version, None if there is none: such a server is older than all others."""
    parts = version.split(".")
    if len(parts) < 2 or not all(part.isdecimal() for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1])


def _ahead(client: Client, began: float) -> float | None:
    try:
        server_time = parsedate_to_datetime(client.date).timestamp()
    except (ValueError, TypeError):
        return None
    return (began + time.time()) / 2 - server_time


def _span(seconds: float) -> str:
    for size, word in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"
