"""Sessions with their latest calls, kept in the process for calls that one statement can store.

Each has its row's version, by which `stored.append` sees whether another process, or a job, has changed it since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection, transaction

from memoryserver.accounts.models import User
from memoryserver.statements import rows
from memoryserver.statements.cache import Cache
from trajectory.models import Trajectory


@dataclass(frozen=True)
class Latest:
    """A session as it is stored, and of its latest calls, oldest first, what `stored.earlier` gives of them."""

    trajectory: Trajectory
    calls: Sequence[dict[str, Any]]


_sessions: Cache[tuple[int, str, str], Latest] = Cache(size=500)  # with thirty calls each, some 15 MB


def of(user: User, session_id: str, agent_id: str) -> Latest | None:
    """Return what is kept of the session, None if it is not."""
    return _sessions.get((user.pk, session_id, agent_id))


def cache(trajectory: Trajectory, calls: Sequence[dict[str, Any]]) -> None:
    """Keep the session as it was saved last, once the transaction is committed, with its latest `calls`.

    The latter are kept as they are, and must not be changed afterwards.
    """
    transaction.on_commit(partial(keep, Latest(rows.copied(trajectory), calls)))


def keep(latest: Latest) -> None:
    """Keep the session, of which nothing must change afterwards; its row is committed as it is."""
    row = latest.trajectory
    # Within another transaction the row may still change without another version.
    if row.version and not connection.in_atomic_block:
        _sessions.put((row.user_id, row.session_id, row.agent_id), latest)
