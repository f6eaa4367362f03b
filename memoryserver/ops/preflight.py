"""Checks before the server starts; each error is one line that says what to do."""

from __future__ import annotations

import re
import socket

import psycopg
from django.db import DatabaseError, connection

from memoryserver.database import PGVECTOR_MINIMUM


class PreflightError(Exception):
    """The server cannot start; the text says why and what to do."""


def check_port(host: str, port: int) -> None:
    """Raise PreflightError unless `host`:`port` is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PreflightError(
                f"cannot listen on {host}:{port} ({error.strerror}); set PORT or MEMORYSERVER_PORT to another one"
            ) from error


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
        raise PreflightError(f"Postgres cannot be used: {' '.join(str(error).split())}") from error
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
