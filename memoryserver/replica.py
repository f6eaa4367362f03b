"""Reads from a replica of the database, if the setting names one: those of search, which cost the most, and no others.

What was written a moment ago may be missing in them, and a member who was removed a moment ago may still find what the
team shares. A replica that is down, or more than MAX_LAG behind, is not asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

T = TypeVar("T")
logger = logging.getLogger(__name__)

ALIAS = "replica"
MAX_LAG = 30.0  # seconds
CHECK_INTERVAL = 5.0  # seconds between two looks at how far behind the replica is
PAUSE = 15.0  # seconds for which a replica that failed, or is too far behind, is not asked

# Job workers write their heartbeat every ten seconds. Positions of the log would not do: of a replica that has lost its
# connection they say little where little is written.
_LATEST = "SELECT extract(epoch FROM max(beat_at)) FROM ops_heartbeat"

_reading: ContextVar[bool] = ContextVar("reads from the replica", default=False)


class _State:
    """When the replica is asked again, and how far behind it is looked up; of this process."""

    paused_until = 0.0
    next_check = 0.0


class ReplicaRouter:
    """Sends the reads of `with_replica` to the replica and everything else to the database."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """Return the replica's name within `with_replica`."""
        return alias()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """Return the database's name."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Return True: both have the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """Return whether `db` is the one that migrations change; the replica follows by itself."""
        return db == DEFAULT_DB_ALIAS


def alias() -> str:
    """Return the name of the database that reads go to at this place."""
    return ALIAS if _reading.get() else DEFAULT_DB_ALIAS


def connection() -> BaseDatabaseWrapper:
    """Return the connection that reads go to at this place."""
    return connections[alias()]


def with_replica(read: Callable[[], T]) -> T:
    """Return the result of `read`, which changes nothing and is called again, on the database, if the replica fails."""
    if not _is_usable():
        return read()
    token = _reading.set(True)
    try:
        return read()
    except (OperationalError, InterfaceError) as error:
        _pause("the replica cannot be used", error)
    finally:
        _reading.reset(token)
    return read()


def _is_usable() -> bool:
    now = time.monotonic()
    if ALIAS not in connections.settings or now < _State.paused_until:
        return False
    if now < _State.next_check:
        return True
    try:
        lag = _latest(DEFAULT_DB_ALIAS) - _latest(ALIAS)
    except (OperationalError, InterfaceError) as error:
        _pause("the replica cannot be used", error)
        return False
    if lag > MAX_LAG:
        _pause("the replica is too far behind", f"{lag:.0f} s")
        return False
    _State.next_check = now + CHECK_INTERVAL
    return True


def _latest(name: str) -> float:
    with connections[name].cursor() as cursor:
        cursor.execute(_LATEST)
        (seconds,) = cursor.fetchone()
    return float(seconds or 0)


def _pause(message: str, reason: object) -> None:
    connections[ALIAS].close()
    _State.paused_until = time.monotonic() + PAUSE
    logger.warning(message, extra={"reason": " ".join(str(reason).split())})
