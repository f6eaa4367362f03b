"""Handling of one event: find its session, call the handlers, and combine their texts."""

from __future__ import annotations

import logging

from django.db import transaction

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common import hook_answer
from memoryserver.common.hook_answer import Answer
from memoryserver.common.hook_event import HookEvent
from memoryserver.common.project_key import names_on, of_unknown_folder
from memoryserver.hooks import handlers, session_start
from memoryserver.hooks.handlers import Call
from memoryserver.hooks.models import HookSession

logger = logging.getLogger(__name__)
_MOST_FOLDERS = 4  # of a path, from its end, that may name the project


class NoSessionError(ValueError):
    """The event does not name its session; the text says what is missing."""


def answer(user: User, event: HookEvent, project_key: str = "", *, may_read: bool = True) -> Answer:
    """Handle `event` and return the hook's response, an empty object for none. Raises NoSessionError.

    `project_key` is the project from the agent's settings; by default it is that of the folder in which the session
    began. Unless `may_read`, the answer has nothing of the memory. Handling the same event again, as agents send it
    after a timeout, has no further effect.
    """
    candidates = [*session_start.HANDLERS, *handlers.for_event(event.name)]
    matching = [handler for handler in candidates if event.name in handler.events]
    if not matching:
        return hook_answer.nothing()
    if not event.session_id:
        raise NoSessionError("session_id is missing: an event must name its session")
    with transaction.atomic():
        session = _session(user, event, project_key)
        texts = [_call_handler(handler, session, event, may_read) for handler in matching]
        session.save()
    return hook_answer.with_context(event.name, *texts) or hook_answer.nothing()


def _call_handler(handler: handlers.Handler, session: HookSession, event: HookEvent, may_read: bool) -> str:
    memory = dict(session.memory.get(handler.name, {}))
    call = Call(session.user, session.project, event, session.root, memory, may_read)
    try:
        with transaction.atomic():
            text = handler.handle(call)
    except Exception:
        # One handler's error must not stop the agent or the other handlers.
        logger.exception("an event was not handled", extra={"handler": handler.name, "hook_event": event.name})
        return ""
    session.memory[handler.name] = memory
    return text


def _session(user: User, event: HookEvent, project_key: str) -> HookSession:
    """Return the session's row, locked."""
    identity = {"session_id": event.session_id, "agent_id": event.agent_id}
    row, created = HookSession.objects.get_or_create(user=user, **identity, defaults={"root": event.path("cwd")})
    row = HookSession.objects.select_for_update(of=("self",)).select_related("user", "project").get(pk=row.pk)
    if project_key:
        row.project = project_for(user, project_key)
    elif created:
        row.project = _project_at(user, _root_of_parent(row) or row.root)
    return row


def _root_of_parent(row: HookSession) -> str:
    """Return the folder in which a sub-agent's main session began; the sub-agent may work in another one."""
    if not row.agent_id:
        return ""
    parent = HookSession.objects.filter(user=row.user, session_id=row.session_id, agent_id="").first()
    return parent.root if parent else ""


def _project_at(user: User, root: str) -> Project | None:
    """Return the project of the folder `root` on a laptop, of which the server knows the path alone.

    That is the one project whose key is the name of the folder, or of one above it, or ends with that; else a new one
    with the folder's name. A temporary folder has none.
    """
    names = names_on(root)
    for name in names[:_MOST_FOLDERS]:
        if match := visible_projects(user).filter(key__iexact=name).order_by("pk").first():
            return project_for(user, match.key)
        keys = set(visible_projects(user).filter(key__iendswith=f"/{name}").values_list("key", flat=True))
        if len(keys) == 1:
            return project_for(user, keys.pop())
        if keys:  # which of them is meant cannot be told
            break
    return project_for(user, of_unknown_folder(root))
