"""Handling of one event: find its session, call the handlers, and combine their texts."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common import hook_answer
from memoryserver.common.hook_answer import Answer
from memoryserver.common.hook_event import HookEvent
from memoryserver.common.project_key import names_on, of_unknown_folder
from memoryserver.errors import InvalidInputError
from memoryserver.hooks import handlers, session_cache, session_start
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.hooks.models import HookSession
from memoryserver.statements import rows
from memoryserver.statements.guard import Guard

logger = logging.getLogger(__name__)
_LAST_EVENT_PRECISION = timedelta(seconds=session_cache.KEPT_SECONDS)
_MOST_FOLDERS = 4  # of a path, from its end, that may name the project


def quick_answer(
    user: User, event: HookEvent, project_key: str, *, may_read: bool, token: Guard | None
) -> Answer | None:
    """Handle an event that one statement can store as `answer` does; None if nothing was done, which is for `answer`.

    Nothing is done unless `token` holds, which is part of that statement.
    """
    matching = _matching(event)
    try:
        text = session_cache.quick_answer(user, event, project_key, matching, may_read, token)
    except (OperationalError, InterfaceError):
        return None  # `answer` meets the same and says so
    except Exception:
        # `answer` may succeed where this fails each time, at several times the cost, which nobody would notice.
        logger.exception("an event was not stored by one statement", extra={"hook_event": event.name})
        return None
    return None if text is None else hook_answer.with_context(event.name, text) or hook_answer.nothing()


def answer(user: User, event: HookEvent, project_key: str = "", *, may_read: bool = True) -> Answer:
    """Handle `event` and return the hook's response, an empty object for none. Raises InvalidInputError.

    `project_key` is the project from the agent's settings; by default it is that of the folder in which the session
    began. Unless `may_read`, the answer has nothing of the memory. Handling the same event again, as agents send it
    after a timeout, has no further effect.
    """
    matching = _matching(event)
    if not matching:
        return hook_answer.nothing()
    if not event.session_id:
        raise InvalidInputError("session_id is missing: an event must name its session")
    try:
        texts = _call_all(user, event, project_key, matching, may_read)
    except (OperationalError, InterfaceError):
        raise  # a database that fails would fail again, and the agent waits
    except Exception:  # noqa: BLE001  (it is logged below when it is raised again)
        # Savepoints, which let the other handlers' writes stay, cost as much as what they protect; so they are made
        # only where one is needed. What was done so far has been rolled back.
        texts = _call_all(user, event, project_key, matching, may_read, isolate=True)
    return hook_answer.with_context(event.name, *texts) or hook_answer.nothing()


def _matching(event: HookEvent) -> Sequence[Handler]:
    candidates = [*session_start.HANDLERS, *handlers.for_event(event.name)]
    return [handler for handler in candidates if event.name in handler.events]


def _call_all(
    user: User,
    event: HookEvent,
    project_key: str,
    matching: Sequence[Handler],
    may_read: bool,
    *,
    isolate: bool = False,
) -> list[str]:
    """Call the handlers in one transaction and return their texts.

    Raises what one of them raises, unless they are to be isolated: then it is logged, and the others' writes stay.
    """
    with transaction.atomic():
        session, changed = _session(user, event, project_key)
        texts = []
        for handler in matching:
            call = session_cache.call_of(handler, user, event, session, may_read)
            text = _call_isolated(handler, call) if isolate else handler.handle(call)
            if text is not None and call.memory != session.memory.get(handler.name):
                session.memory[handler.name] = call.memory
                changed = True
            texts.append(text or "")
        if changed or timezone.now() - session.last_event_at > _LAST_EVENT_PRECISION:
            _save(session)
        transaction.on_commit(partial(session_cache.store, session, project_key))
    return texts


def _call_isolated(handler: Handler, call: Call) -> str | None:
    """Return the handler's text, None if it raises; what it has written is rolled back then, and the error logged.

    Raises OperationalError or InterfaceError if the database fails: no handler can store anything then, and the answer
    must not say that the event was taken.
    """
    try:
        with transaction.atomic():
            return handler.handle(call)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        # One handler's error must not stop the agent or the other handlers.
        logger.exception("an event was not handled", extra={"handler": handler.name, "hook_event": call.event.name})
        return None


def _save(session: HookSession) -> None:
    """Save what an event may change, and take the row's new version."""
    session.last_event_at = timezone.now()
    row = rows.first(
        "UPDATE hooks_hooksession SET project_id = %(project)s, memory = %(memory)s::jsonb, last_event_at = %(at)s "
        "WHERE id = %(id)s RETURNING xmin::text",
        {
            "id": session.pk,
            "project": session.project_id,
            "memory": json.dumps(session.memory),
            "at": session.last_event_at,
        },
    )
    session.version = row[0] if row is not None else ""


def _session(user: User, event: HookEvent, project_key: str) -> tuple[HookSession, bool]:
    """Return the session's row, locked, and whether it is to be saved."""
    identity = {"session_id": event.session_id, "agent_id": event.agent_id}
    row, created = _locked(user, **identity), False
    if row is None:
        _, created = HookSession.objects.get_or_create(user=user, **identity, defaults={"root": event.path("cwd")})
        row = _locked(user, **identity) or HookSession.objects.get(user=user, **identity)
    project = row.project
    if project_key:
        project = project_for(user, project_key)
    elif created:
        project = _project_at(user, _root_of_parent(row) or row.root)
    changed = project != row.project
    row.project = project
    return row, changed


def _locked(user: User, session_id: str, agent_id: str) -> HookSession | None:
    """Return the session's row with its project, locked until the transaction ends; None if there is none."""
    own, of_project = rows.columns(HookSession, "session"), rows.columns(Project, "project")
    values = rows.first(
        f"SELECT session.xmin::text, {own}, {of_project} FROM hooks_hooksession session "  # noqa: S608  (names of columns)
        "LEFT JOIN accounts_project project ON project.id = session.project_id "
        "WHERE session.user_id = %(user)s AND session.session_id = %(session)s AND session.agent_id = %(agent)s "
        "FOR UPDATE OF session",
        {"user": user.pk, "session": session_id, "agent": agent_id},
    )
    if values is None:
        return None
    width = 1 + rows.width(HookSession)
    row = rows.instance(HookSession, values[1:width])
    row.version = values[0]
    if row.project_id is not None:
        row.project = rows.instance(Project, values[width:])
    return row


def _root_of_parent(row: HookSession) -> str:
    """Return the folder in which a sub-agent's main session began; the sub-agent may work in another one."""
    if not row.agent_id:
        return ""
    parent = HookSession.objects.filter(user=row.user, session_id=row.session_id, agent_id="").first()
    return parent.root if parent else ""


def _project_at(user: User, root: str) -> Project | None:
    """Return the project of the folder `root` on a laptop, of which the server knows the path alone.

    That is the one of the user's private projects whose key is the name of the folder, or of one above it, or ends with
    that; else a new one with the folder's name. A temporary folder has none. Never a team's: a folder of the same name
    may belong to somebody else, and nothing is shared by its name.
    """
    private = visible_projects(user).filter(team=None, owner=user)
    for name in names_on(root)[:_MOST_FOLDERS]:
        if match := private.filter(key__iexact=name).order_by("pk").first():
            return project_for(user, match.key)
        keys = set(private.filter(key__iendswith=f"/{name}").values_list("key", flat=True))
        if len(keys) == 1:
            return project_for(user, keys.pop())
        if keys:  # which of them is meant cannot be told
            break
    return project_for(user, of_unknown_folder(root))
