"""Does the way to the server work, and do both sides fit?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from memorycli.delivery import connection
from memorycli.delivery.probe import older
from memorycli.doctor.finding import Finding, View
from memoryserver import __version__

CLOCK_TOLERANCE = 60.0  # seconds


def logged_in(view: View) -> Iterator[Finding]:
    """There is an address and a token, and the token is its owner's alone to read."""
    if not view.server.url:
        yield Finding(view.server.error, "memory login URL")
    path = connection.credentials_path()
    if os.name != "nt" and path.exists() and path.stat().st_mode & 0o077:
        yield Finding(f"{path} holds your token and others can read it", f"chmod 600 {path}")


def reachable(view: View) -> Iterator[Finding]:
    """The server answers."""
    server = view.server
    if server.url and not server.answers:
        yield Finding(
            f"{server.error}; nothing is lost, it is sent later",
            "start the server or the network; if its address has changed: memory login URL",
        )


def token_taken(view: View) -> Iterator[Finding]:
    """The server takes the token."""
    if view.server.answers and not view.server.takes_token:
        yield Finding(f"the token is refused: {view.server.error}", f"memory login {view.server.url}")


def clocks_agree(view: View) -> Iterator[Finding]:
    """The laptop's clock goes as the server's: times of entries and calls are the laptop's."""
    ahead = view.server.ahead
    if ahead is not None and abs(ahead) > CLOCK_TOLERANCE:
        way = "ahead of" if ahead > 0 else "behind"
        what = f"this laptop's clock is {_span(abs(ahead))} {way} the server's"
        yield Finding(what, "set the clock; where systemd keeps it: timedatectl set-ntp true")


def versions_fit(view: View) -> Iterator[Finding]:
    """Client and server are of one release."""
    server = view.server
    if not server.answers:
        return
    side = older(server.version)
    theirs = server.version or "of a release that does not say its version"
    if side == "client":
        what = f"this client is {__version__}, its server is {theirs}"
        yield Finding(what, "pip install --upgrade memoryserver")
    elif side == "server":
        what = f"the server is {theirs}, this client is {__version__}: what is new in it may be refused"
        yield Finding(what, f"have the server updated, or: pip install 'memoryserver=={server.version or '0.1.*'}'")


def _span(seconds: float) -> str:
    for size, word in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"
