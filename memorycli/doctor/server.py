"""Checks of the server: login, connection, token, clock and version."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memorycli.delivery import connection
from memorycli.delivery.probe import clock_difference, older
from memorycli.doctor.finding import Finding, View
from memorycli.installation import layout
from memoryserver import __version__


def logged_in(view: View) -> Iterator[Finding]:
    """Check that an address and a token are stored, and that only their owner can read the token."""
    if not view.server.url:
        fix = "memory login URL"
        yield Finding(view.server.error.removesuffix(f"; run: {fix}"), fix)
    path = connection.credentials_path()
    if os.name != "nt" and path.exists() and path.stat().st_mode & 0o077:
        yield Finding(f"{path} has your token, and other users can read it", f"chmod 600 {path}")


def reachable(view: View) -> Iterator[Finding]:
    """Check that the server answers."""
    server = view.server
    if server.url and not server.answers:
        yield Finding(
            f"{server.error}; nothing is lost, it will be sent later",
            "start the server or the network; if the address has changed: memory login URL",
        )


def token_accepted(view: View) -> Iterator[Finding]:
    """Check that the server accepts the token."""
    if view.server.answers and not view.server.takes_token:
        yield Finding(view.server.error.partition("; run:")[0], f"memory login {view.server.url}")


def clocks_agree(view: View) -> Iterator[Finding]:
    """Check that the clocks agree: the times of entries and tool calls are the laptop's."""
    if difference := clock_difference(view.server.ahead):
        yield Finding(f"this laptop's clock is {difference}", "set the clock (with systemd: timedatectl set-ntp true)")


def versions_match(view: View) -> Iterator[Finding]:
    """Check that client and server have the same release."""
    server = view.server
    if not server.answers:
        return
    side = older(server.version)
    server_version = server.version or "of a release that does not report its version"
    if side == "client":
        what = f"this client is {__version__}, the server is {server_version}"
        yield Finding(what, layout.update_command())
    elif side == "server":
        what = f"the server is {server_version}, this client is {__version__}: the server may refuse newer requests"
        yield Finding(what, f"update the server, or: pip install 'memorycli=={server.version or '0.1.*'}'")
