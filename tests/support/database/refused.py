"""What a database that does not run raises."""

from __future__ import annotations

import psycopg


def refused() -> Exception:
    """What connecting to a server that does not run raises."""
    try:
        psycopg.connect(host="/nowhere", user="memoryserver", dbname="memoryserver")
    except psycopg.OperationalError as error:
        return error
    raise AssertionError
