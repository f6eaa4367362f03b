"""Checks before the server starts; each error is one line that says what to do."""

from __future__ import annotations

import re
import socket

import psycopg
from django.db import DatabaseError, connection

from memoryserver.database import PGVECTOR_MINIMUM, way_out
from memoryserver.outages.errors import reason_of

_HIGHEST_PORT = 65_535
_BACKLOG = 2048  # connections that may wait while the web server starts; gunicorn's own default


class PreflightError(Exception):
    """The server cannot start; the text says why and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host`:`port` (0: any free port). Raises PreflightError if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= _HIGHEST_PORT:
        raise PreflightError(_cannot_listen(host, port, f"a port is at most {_HIGHEST_PORT}"))
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while attempting")[0]  # create_server adds the address
        raise PreflightError(_cannot_listen(host, port, reason)) from error


def _cannot_listen(host: str, port: int, reason: str | None) -> str:
    ways_out = "choose others with --host and --port, or MEMORYSERVER_HOST and MEMORYSERVER_PORT"
    return f"cannot listen on {host}:{port} ({reason}); {ways_out}"


def check_database() -> None:
    """Raise PreflightError unless Postgres responds and has, or can install, a suitable pgvector."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
                "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))"
            )
            (version,) = cursor.fetchone()
    except (DatabaseError, psycopg.Error) as error:
        raise PreflightError(f"Postgres cannot be used: {reason_of(error)}; {way_out()}") from error
    check_pgvector(version)


def check_pgvector(version: str | None) -> None:
    """Raise PreflightError unless `version` (None: not available) is at least PGVECTOR_MINIMUM."""
    needed = ".".join(map(str, PGVECTOR_MINIMUM))
    if version is None:
        raise PreflightError(f"this Postgres has no pgvector; install pgvector {needed} or later on its machine")
    if tuple(int(part) for part in re.findall(r"\d+", version)[:3]) < PGVECTOR_MINIMUM:
        raise PreflightError(
            f"this Postgres has pgvector {version}, which can corrupt indexes; {needed} or later is needed "
            "(install it, then: ALTER EXTENSION vector UPDATE)"
        )
