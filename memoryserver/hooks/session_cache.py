"""Sessions kept in the process from one event to the next, for events that one statement can store.

Nothing is decided by what is kept: the statement itself compares the version of each row that it relies on. A process
that does not know a session, or not as another one left it, handles the event as any other.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.common.hook_event import HookEvent
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.hooks.models import HookSession
from memoryserver.statements.cache import Cache
from memoryserver.statements.guard import Guard

_CONDITION = "EXISTS (SELECT FROM hooks_hooksession WHERE id = %(hook_session)s AND xmin = %(hook_version)s::xid)"


@dataclass(frozen=True)
class _Session:
    """A session's row as it was stored, and the project's key that the agent's settings named."""

    row: HookSession
    project_key: str


KEPT_SECONDS = 300
"""How long a session is kept: then the time of its last event is written, and the project's key is looked up again."""

_sessions: Cache[tuple[int, str, str], _Session] = Cache(size=1000, seconds=KEPT_SECONDS)


def call_of(handler: Handler, user: User, event: HookEvent, session: HookSession, may_read: bool) -> Call:
    """Return the event for `handler`, with a copy of its memory."""
    memory = copy.deepcopy(session.memory.get(handler.name) or {})
    return Call(user, session.project, event, session.root, memory, may_read)


def store(session: HookSession, project_key: str) -> None:
    """Keep the session, once the transaction that read and saved it is committed."""
    # Within another transaction the row may still change without another version.
    if session.version and not connection.in_atomic_block:
        _sessions.put((session.user_id, session.session_id, session.agent_id), _Session(session, project_key))


def quick_answer(
    user: User,
    event: HookEvent,
    project_key: str,
    matching: Sequence[Handler],
    may_read: bool,
    token: Guard | None = None,
) -> str | None:
    """Handle the event in one statement and return the text for the agent; None if nothing was done.

    Nothing is done either unless `token` holds.
    """
    if all(handler.quick is None for handler in matching):
        return None
    known = _sessions.get((user.pk, event.session_id, event.agent_id))
    if known is None or known.project_key != project_key:
        return None
    calls = [(handler, call_of(handler, user, event, known.row, may_read)) for handler in matching]
    at_work = [(handler, call) for handler, call in calls if handler.idle is None or not handler.idle(call)]
    if len(at_work) != 1:
        return None
    handler, call = at_work[0]
    guard = Guard(_CONDITION, {"hook_session": known.row.pk, "hook_version": known.row.version})
    guard = guard if token is None else token & guard
    return handler.quick(call, guard) if handler.quick is not None else None
