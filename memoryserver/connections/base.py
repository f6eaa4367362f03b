"""Django's engine for Postgres with a cheaper check of kept connections (Django asks for a module of this name)."""

from __future__ import annotations

import select
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import psycopg
from django.db.backends.postgresql import base, operations
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from memoryserver.connections.silence import WatchedConnection, silences
from memoryserver.database import direct_configuration, is_pooled

_driver = ModuleType("psycopg")
"""The driver, whose connections notice that the server is silent."""
vars(_driver).update(vars(psycopg), connect=WatchedConnection.connect)


_TIMES = psycopg.adapters.types["timestamptz"].oid
_loader_of_times = psycopg.adapters.get_loader(_TIMES, Format.TEXT)


class TimeLoader(Loader):
    """Reads times by the driver's loader, which is compiled: Django's, in Python, took a twentieth of a list's page.

    The sessions of all connections are in UTC.
    """

    timezone = UTC
    """What Django looks up before it would register its own."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        assert _loader_of_times is not None
        self._loader = _loader_of_times(oid, context)

    def load(self, data: Buffer) -> datetime:
        """Return the time."""
        value: datetime = self._loader.load(data)
        return value


class DatabaseOperations(operations.DatabaseOperations):
    """Knows the text of statements whose parameters were sent apart from them, too."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        """Return the statement with its parameters, for the log of statements."""
        if isinstance(cursor, base.ServerBindingCursor):
            return str(self.compose_sql(sql, params))
        return str(super().last_executed_query(cursor, sql, params))


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose health is seen at its socket.

    Before a request uses a kept connection, Django sends `SELECT 1`: as much work as a statement that is needed. A
    server that was stopped has closed the socket, and one that complains has written to it; so a socket with nothing to
    read is a healthy one, and only others are asked. A server that is silent is noticed by its statements (`silence`).
    """

    Database = _driver
    ops_class = DatabaseOperations

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection of the driver. Raises its error, at once if the server was silent a moment ago."""
        silence = silences[self.alias]
        silence.check()
        try:
            connection = super().get_new_connection(conn_params)
        except psycopg.errors.ConnectionTimeout:
            silence.begin()
            raise
        connection.adapters.register_loader(_TIMES, TimeLoader)
        connection.silence = silence
        connection.asked = _behind_the_pool(self)
        return connection

    def prepared_cursor(self, *, binary: bool = False) -> Any:
        """Return a cursor whose statements the server prepares at their second use; for few statements, often used.

        Parameters are sent apart from the statement. Where another session may have the next transaction, nothing is
        prepared. The plan is made once: Postgres would plan a statement for few ids again at each use, which takes ten
        times as long as to run it.

        With `binary` the server sends numbers and times as they are, which the driver reads in half the time; for
        results of hundreds of rows, and not for types that Django reads from text, such as JSON.
        """
        self.ensure_connection()
        assert self.connection is not None
        if not self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS") and self.connection.prepare_threshold != 1:
            with self.wrap_database_errors:
                self.connection.execute("SET plan_cache_mode = force_generic_plan")
            self.connection.prepare_threshold = 1
        cursor: Any = base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]  # the stub knows no argument
        cursor.format = Format.BINARY if binary else Format.TEXT
        return self._prepare_cursor(cursor)  # type: ignore[attr-defined]  # nor this method of Django's

    def close_if_health_check_failed(self) -> None:
        """Close the connection if it does not work any more."""
        if self.connection is not None and not self.health_check_done:
            if silences[self.alias].is_noticed():
                self.close()  # the next one is made, or refused at once
                return
            self.health_check_done: bool = _is_quiet(self.connection)
        super().close_if_health_check_failed()


def _behind_the_pool(database: DatabaseWrapper) -> tuple[str, int] | None:
    """Return where the server is that a pool hides, if the settings say so: the pool answers by itself."""
    direct = direct_configuration() if is_pooled(database) else None
    return (direct["HOST"] or "localhost", int(direct["PORT"] or 5432)) if direct else None


def _is_quiet(connection: Any) -> bool:
    """Return whether the open connection's server has neither closed it nor sent anything."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return not poll.poll(0)
